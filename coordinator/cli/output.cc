#include "coordinator/cli/output.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"

namespace tutti::cli {

void AddOutputOption(CLI::App& command, Output& output) {
  command
      .add_option_function<std::string>(
          "--output",
          [&output](const std::string& word) {
            if (word != "table" && word != "json" && word != "yaml") {
              throw CLI::ValidationError(
                  "--output", absl::StrCat("\"", Printable(word), "\" is not one of table, json, yaml"));
            }
            output = word == "json" ? Output::kJson : word == "yaml" ? Output::kYaml : Output::kTable;
          },
          "As a table for people, or as one document for programs")
      ->type_name("table|json|yaml");
}

std::string RenderDocument(const report::Document& document, Output output) {
  return output == Output::kYaml ? report::DocumentYaml(document) : report::DocumentJson(document);
}

}  // namespace tutti::cli
