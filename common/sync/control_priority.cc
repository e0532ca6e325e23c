#include "common/sync/control_priority.h"

#include <sys/resource.h>

namespace tutti {

bool RaiseControlPriority() { return setpriority(PRIO_PROCESS, 0, kControlNice) == 0; }

void LeaveControlPriority() {
  // A higher value is permitted to everybody.
  if (getpriority(PRIO_PROCESS, 0) < 0) setpriority(PRIO_PROCESS, 0, 0);
}

}  // namespace tutti
