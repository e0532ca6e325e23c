// --completion of a program without commands.
#pragma once

namespace CLI {
class App;
}

namespace tutti {

// Adds --completion bash|zsh, which prints the script and ends parsing with CLI::Success. Call it when every
// option of `app` is there; the program is called as `app` is.
void AddCompletionFlag(CLI::App& app);

}  // namespace tutti
