// What is configured, as a table and as a document. Pure; thread-safe.
#pragma once

#include <string>

#include "common/config/layers.h"
#include "coordinator/report/document.h"

namespace tutti::cli {

// A line for each setting: key, value ("-" where none is set) and, if asked for, where the value comes from.
std::string RenderConfiguration(const Configuration& configuration, bool origin);

// {"files": [...], "settings": [{"key", "value", "origin", "variable", "flag", "programs", "help"}]}. `value`
// is a text, true or false, a list of texts, or null where none is set.
report::Document ConfigurationDocument(const Configuration& configuration);

}  // namespace tutti::cli
