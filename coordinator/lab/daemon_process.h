// A daemon of the lab: forked by the supervisor, moved into its namespaces step by step, then the program
// itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::lab {

// What a daemon is, and what it does in its own process before the program takes over.
struct DaemonSpec {
  std::string name;                  // "coordinator", "host1"
  std::vector<std::string> command;  // path first
  std::string log_path;              // standard output and error
  // In this order; before each but the first, and before the program, the daemon waits for Advance().
  std::vector<std::function<absl::Status()>> steps;
};

// Owned by the supervisor's main thread.
struct Daemon {
  std::string name;
  std::string program;  // "tutti-worker"
  std::string log_path;
  int pid = 0;
  int channel = -1;  // to the daemon's own steps; -1 once the program runs
  bool alive = false;
  bool passed = false;  // the step that runs now
  std::string end;      // how it ended: "ended with status 1", "was ended by signal 9 (Killed)"
};

// Forks. The daemon is killed when the calling thread ends, however that comes.
absl::StatusOr<Daemon> ForkDaemon(const DaemonSpec& spec);

// Lets the daemon go on with its next step, or with the program after the last.
void Advance(Daemon& daemon);

// Reads what the daemon has said, without waiting: sets `passed` once a step is done or the program runs; an
// error if a step failed.
absl::Status ReadProgress(Daemon& daemon);

// "host2: tutti-worker (pid 7) ended with status 1; its log ends: ...".
std::string DescribeEnd(const Daemon& daemon);

// From a wait status of waitpid.
std::string DescribeWaitStatus(int wait_status);

}  // namespace tutti::lab
