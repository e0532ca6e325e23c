// tutti version
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "common/version/version.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/output.h"

namespace tutti::cli {

void AddVersionCommand(CLI::App& app, Chosen& chosen) {
  const auto output = std::make_shared<Output>(Output::kTable);
  CLI::App* command = app.add_subcommand("version", "Print the version");
  AddOutputOption(*command, *output);
  command->callback([output, &chosen] {
    chosen = [output] {
      if (*output == Output::kTable) {
        std::cout << "tutti " << kVersion << "\n";
      } else {
        std::cout << RenderDocument(report::Document::Map().Add("version", report::Document::Text(kVersion)),
                                    *output);
      }
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
