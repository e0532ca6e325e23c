// The commands below `tutti workers` that have files of their own. Each registers itself as command.h says.
#pragma once

#include "coordinator/cli/command.h"

namespace tutti::cli {

// drain, undrain, forget
void AddWorkerOrders(CLI::App& workers, Chosen& chosen);
// watch
void AddFleetWatch(CLI::App& workers, Chosen& chosen);

}  // namespace tutti::cli
