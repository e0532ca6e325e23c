// What a lab's supervisor and the process that started it tell each other over a SOCK_SEQPACKET pair: one
// record a message, fields apart by tabs. Both ends are the same program, so the form may change freely.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/lab/lab.h"

namespace tutti::lab {

struct LabMessage {
  enum class Kind : char {
    // Supervisor to starter.
    kFailed = 'e',     // status
    kForbidden = 'f',  // status: the kernel or its administrator does not allow such namespaces
    kFacts = 'k',      // kind, folder, log_dir, pid (of the coordinator)
    kHost = 'h',       // host
    kStarted = 's',    // text: the kind of lab (of a daemon: a step is done)
    kDeath = 'd',      // text
    kDetached = 'a',
    // Starter to supervisor.
    kStop = 'q',
    kDetach = 'D',
  };
  Kind kind = Kind::kFailed;
  absl::Status status;
  std::string text;  // kFacts: the folder of the coordinator's socket
  std::string log_dir;
  int pid = 0;
  LabHost host;
};

std::string Encode(const LabMessage& message);
// InvalidArgument for what Encode does not make.
absl::StatusOr<LabMessage> Decode(const std::string& bytes);

// False if the other end is gone.
bool SendMessage(int fd, const LabMessage& message);

// Empty: the other end is gone. Waits unless `dont_wait`; then kUnavailable means that there is nothing yet.
absl::StatusOr<std::optional<LabMessage>> ReceiveMessage(int fd, bool dont_wait);

}  // namespace tutti::lab
