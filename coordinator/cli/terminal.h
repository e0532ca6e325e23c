// What may be sent to a terminal beside text.
#pragma once

namespace tutti::cli {

// Whether escape sequences (colours, redrawing) may be written: only to a terminal, not if NO_COLOR is set
// and not empty (no-color.org), not if TERM is not set or "dumb". Null: the variable is not set. Pure.
bool MayUseEscapes(bool is_terminal, const char* no_color, const char* term);

// The same of this process's standard output. Not thread-safe beside changes of the environment.
bool OutputTakesEscapes();

}  // namespace tutti::cli
