// --output table|json|yaml of the commands that print something other than a run's report.
#pragma once

#include <string>

#include "coordinator/report/document.h"

namespace CLI {
class App;
}

namespace tutti::cli {

enum class Output { kTable, kJson, kYaml };

// `output` outlives the parsing.
void AddOutputOption(CLI::App& command, Output& output);

// Of kJson or kYaml. Pure.
std::string RenderDocument(const report::Document& document, Output output);

}  // namespace tutti::cli
