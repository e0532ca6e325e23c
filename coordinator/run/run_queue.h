// Who goes next: runs wait, first come first served per host; runs on disjoint hosts go side by side.
//
// Pure: no clock is read, nobody is called. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/v1/service.pb.h"

namespace tutti::run {

struct QueuedRun {
  std::string id;
  std::string user;                // may be empty
  std::vector<std::string> hosts;  // sorted
  int64_t submitted_unix_ns = 0;
};

class RunQueue {
 public:
  void Add(QueuedRun run);

  // A waiting run leaves the queue, a running one gives its hosts free. Unknown ids are ignored.
  void Remove(const std::string& id);

  // The runs that may start now, in order of submission, marked as running since `now_unix_ns`: those before
  // which nobody in the queue, waiting or running, needs one of their hosts.
  std::vector<std::string> TakeStartable(int64_t now_unix_ns);

  // What a waiting run waits for: `position` counts from 1 among the waiting runs that share a host with it,
  // and every host that is not its own has a line: "host a: runs run-7 of alice since 13:50:02" or "host a:
  // run-8 of bob is next".
  tutti::v1::Queued Describe(const std::string& id) const;

  // The same as data, in the order of the run's hosts: of each host the first in line, which has it
  // (KIND_BUSY, since it got it) or waits for it as well (KIND_NEXT, since it was submitted). None for a run
  // that does not wait. How long the others still take is not known here.
  std::vector<tutti::v1::Obstacle> Obstacles(const std::string& id) const;

  std::vector<std::string> waiting() const;  // in order of submission

 private:
  struct Entry {
    QueuedRun run;
    bool running = false;
    int64_t started_unix_ns = 0;
  };
  // entries_.end() for a run that does not wait.
  std::vector<Entry>::const_iterator FindWaiting(const std::string& id) const;

  std::vector<Entry> entries_;  // in order of submission
};

}  // namespace tutti::run
