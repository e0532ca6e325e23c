#include "coordinator/cli/standard_files.h"

#include <fcntl.h>
#include <stdlib.h>

namespace tutti::cli {

void HoldStandardFiles() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest free number is the one that is missing.
    if (open("/dev/null", O_RDONLY) != fd) abort();
  }
}

}  // namespace tutti::cli
