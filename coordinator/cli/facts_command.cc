// tutti facts RESULT [OTHER]: what the hosts of a result were, or how those of two results differ.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "coordinator/cli/command.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/report/host_facts.h"

namespace tutti::cli {
namespace {

struct Arguments {
  std::string result;
  std::string other;  // empty: show the one
};

absl::StatusOr<tutti::v1::Result> ReadPrintable(const std::string& file_or_id) {
  absl::StatusOr<tutti::v1::Result> result = ReadResult(file_or_id);
  if (result.ok()) MakePrintable(*result);
  return result;
}

int ShowFacts(const Arguments& arguments) {
  const absl::StatusOr<tutti::v1::Result> result = ReadPrintable(arguments.result);
  if (!result.ok()) return Complain(result.status(), kUsage);
  if (arguments.other.empty()) {
    std::cout << report::RenderFacts(*result);
    return kPassed;
  }
  const absl::StatusOr<tutti::v1::Result> other = ReadPrintable(arguments.other);
  if (!other.ok()) return Complain(other.status(), kUsage);
  std::cout << report::RenderFactDifferences(*result, *other);
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
  command->callback([arguments, &chosen] { chosen = [arguments] { return ShowFacts(*arguments); }; });
}

}  // namespace tutti::cli
