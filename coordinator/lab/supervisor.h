// The process that holds a lab: it makes the namespaces and links, starts the daemons, watches them, and
// takes everything down when it is told to, when its starter goes, or when a daemon that the lab needs ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "coordinator/lab/lab.h"

namespace tutti::lab {

struct SupervisorSpec {
  LabOptions options;           // programs resolved
  bool loopback = false;        // no namespaces: 127.0.0.x
  std::string loopback_reason;  // why
  int channel = -1;             // to the starter (lab_message.h)
  int hold_fd = -1;             // stays open as long as the supervisor lives; -1: none
  std::string record_path;      // removed at the end; empty: none
  pid_t starter = 0;
  int64_t deadline_ns = 0;  // of the start, CLOCK_MONOTONIC
};

// Runs in a fork of the starter, which has one thread; never returns.
[[noreturn]] void RunSupervisor(const SupervisorSpec& spec);

// Folder of a supervisor's mount point and socket in the runtime folder, and the socket in it.
std::string LabFolderName(pid_t supervisor);
std::string SocketPath(const std::string& folder);

}  // namespace tutti::lab
