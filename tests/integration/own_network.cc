// The tests' hosts have addresses of their own: this process gets a network namespace, so that nothing is
// sent, bound or configured outside. Done before main, while there is one thread: a namespace is each
// thread's own.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace {

bool Enter() {
  const uid_t uid = geteuid();
  if (unshare(CLONE_NEWNET) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
  return true;
}

[[maybe_unused]] const bool entered = [] {
  const bool done = Enter() && system(
                                   "ip link set lo up && ip address add 10.99.0.11/24 dev lo && "
                                   "ip address add 10.99.0.12/24 dev lo") == 0;
  if (!done) {
    perror("integration tests need a network namespace of their own and the ip command");
    exit(1);
  }
  return true;
}();

}  // namespace
