// The commands of `tutti`, one file each. A command registers its options with the parser and, where the user
// chose it, leaves what is to be run in `chosen`; main() calls that after parsing.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace tutti {
struct Configuration;
}

namespace tutti::cli {

using Chosen = std::function<int()>;  // returns an ExitCode

void AddValidateCommand(CLI::App& app, Chosen& chosen);
void AddPlanCommand(CLI::App& app, Chosen& chosen);
void AddRunCommand(CLI::App& app, Chosen& chosen);
void AddAttachCommand(CLI::App& app, Chosen& chosen);
void AddWatchCommand(CLI::App& app, Chosen& chosen);
void AddStatusCommand(CLI::App& app, Chosen& chosen);
void AddWhyNotCommand(CLI::App& app, Chosen& chosen);
void AddCancelCommand(CLI::App& app, Chosen& chosen);
void AddLabCommand(CLI::App& app, Chosen& chosen);
void AddWorkersCommand(CLI::App& app, Chosen& chosen);
void AddDoctorCommand(CLI::App& app, Chosen& chosen);
void AddShowCommand(CLI::App& app, Chosen& chosen);
void AddResultsCommand(CLI::App& app, Chosen& chosen);
void AddRerunCommand(CLI::App& app, Chosen& chosen);
void AddExplainCommand(CLI::App& app, Chosen& chosen);
void AddFactsCommand(CLI::App& app, Chosen& chosen);
void AddMetricsCommand(CLI::App& app, Chosen& chosen);
void AddSchemaCommand(CLI::App& app, Chosen& chosen);
void AddVersionCommand(CLI::App& app, Chosen& chosen);
// `configuration` is what main() found before it runs the command.
void AddConfigCommand(CLI::App& app, const Configuration& configuration, Chosen& chosen);
// Completes all commands of `app`, those that are added later too.
void AddCompletionCommand(CLI::App& app, Chosen& chosen);

}  // namespace tutti::cli
