// The list of workloads: adding one is one file and one line here.
#pragma once

#include <memory>

#include "worker/load/load_trial.h"
#include "worker/load/stream.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

std::unique_ptr<Stream> MakeStream(StreamConfig config, const WindowGrid& grid);

}  // namespace tutti::load
