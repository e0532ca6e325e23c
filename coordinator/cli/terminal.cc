#include "coordinator/cli/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tutti::cli {

bool MayUseEscapes(bool is_terminal, const char* no_color, const char* term) {
  if (!is_terminal) return false;
  if (no_color != nullptr && no_color[0] != '\0') return false;
  return term != nullptr && term[0] != '\0' && std::string_view(term) != "dumb";
}

bool OutputTakesEscapes() {
  return MayUseEscapes(isatty(STDOUT_FILENO) == 1, getenv("NO_COLOR"), getenv("TERM"));
}

}  // namespace tutti::cli
