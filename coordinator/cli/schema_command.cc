// tutti schema: the JSON Schema of a plan, for editors.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "coordinator/cli/command.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/output.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {
namespace {

// A schema is a JSON document in itself: there is no table of it.
int PrintSchema(Output output) {
  const std::string json = plan::PlanJsonSchema();
  if (output != Output::kYaml) {
    std::cout << json << std::flush;
    return kPassed;
  }
  const absl::StatusOr<report::Document> document = report::ParseDocument(json);
  if (!document.ok()) return Complain(document.status(), kInternal);
  std::cout << RenderDocument(*document, output) << std::flush;
  return kPassed;
}

}  // namespace

void AddSchemaCommand(CLI::App& app, Chosen& chosen) {
  const auto output = std::make_shared<Output>(Output::kTable);
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of a plan: as JSON, or with --output yaml as YAML");
  AddOutputOption(*command, *output);
  command->callback([output, &chosen] { chosen = [output] { return PrintSchema(*output); }; });
}

}  // namespace tutti::cli
