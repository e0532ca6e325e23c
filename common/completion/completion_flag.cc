#include "common/completion/completion_flag.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "common/completion/completion.h"

namespace tutti {

void AddCompletionFlag(CLI::App& app) {
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string& shell) {
           std::cout << (shell == "bash" ? BashCompletion(app, app.get_name())
                                         : ZshCompletion(app, app.get_name()))
                     << std::flush;
           throw CLI::Success();
         },
         "Print a script that completes the flags of this program in a shell, and exit")
      ->type_name("bash|zsh")
      ->check([](const std::string& name) {
        return name == "bash" || name == "zsh" ? std::string() : "\"" + name + "\" is not one of bash, zsh";
      })
      ->configurable(false);
}

}  // namespace tutti
