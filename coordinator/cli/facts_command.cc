// tutti facts RESULT [OTHER]: what the hosts of a result were, or how those of two results differ.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/facts_document.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/report/host_facts.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string result;
  std::string other;  // empty: show the one
  Output output = Output::kTable;
};

// For a document texts stay as they are.
absl::StatusOr<tutti::v1::Result> Read(const std::string& file_or_id, Output output) {
  absl::StatusOr<tutti::v1::Result> result = ReadResult(file_or_id);
  if (result.ok() && output == Output::kTable) MakePrintable(*result);
  return result;
}

int ShowFacts(const Arguments& arguments) {
  const bool table = arguments.output == Output::kTable;
  const absl::StatusOr<tutti::v1::Result> result = Read(arguments.result, arguments.output);
  if (!result.ok()) return Complain(result.status(), kUsage);
  if (arguments.other.empty()) {
    std::cout << (table ? report::RenderFacts(*result)
                        : RenderDocument(FactsDocument(*result), arguments.output));
    return kPassed;
  }
  const absl::StatusOr<tutti::v1::Result> other = Read(arguments.other, arguments.output);
  if (!other.ok()) return Complain(other.status(), kUsage);
  std::cout << (table ? report::RenderFactDifferences(*result, *other)
                      : RenderDocument(FactDifferencesDocument(*result, *other), arguments.output));
  return kPassed;
}

}  // namespace

void AddFactsCommand(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("facts", "Print the facts of a result's hosts, or how those of two results differ");
  command->add_option("RESULT", arguments->result, "A result's file, or the id of a run")
      ->required()
      ->type_name("FILE|ID");
  command->add_option("OTHER", arguments->other, "Another one: print only what differs, host by host")
      ->type_name("FILE|ID");
  AddOutputOption(*command, arguments->output);
  command->callback([arguments, &chosen] { chosen = [arguments] { return ShowFacts(*arguments); }; });
}

}  // namespace tutti::cli
