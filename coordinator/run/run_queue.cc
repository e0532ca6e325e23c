#include "coordinator/run/run_queue.h"

#include <time.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutti::run {
namespace {

// "13:50:02", in the coordinator's time zone.
std::string TimeOfDay(int64_t unix_ns) {
  const time_t seconds = unix_ns / 1'000'000'000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[16] = {};
  strftime(text, sizeof(text), "%H:%M:%S", &local);
  return text;
}

std::string Named(const QueuedRun& run) { return run.user.empty() ? run.id : run.id + " of " + run.user; }

bool Needs(const QueuedRun& run, const std::string& host) {
  return std::find(run.hosts.begin(), run.hosts.end(), host) != run.hosts.end();
}

bool SharesHost(const QueuedRun& a, const QueuedRun& b) {
  return std::any_of(a.hosts.begin(), a.hosts.end(), [&](const std::string& host) { return Needs(b, host); });
}

}  // namespace

void RunQueue::Add(QueuedRun run) { entries_.push_back({std::move(run), false, 0}); }

void RunQueue::Remove(const std::string& id) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.run.id == id; });
}

std::vector<std::string> RunQueue::TakeStartable(int64_t now_unix_ns) {
  std::vector<std::string> startable;
  std::set<std::string> needed;  // by those that came before
  for (Entry& entry : entries_) {
    const bool blocked = std::any_of(entry.run.hosts.begin(), entry.run.hosts.end(),
                                     [&](const std::string& host) { return needed.contains(host); });
    needed.insert(entry.run.hosts.begin(), entry.run.hosts.end());
    if (entry.running || blocked) continue;
    entry.running = true;
    entry.started_unix_ns = now_unix_ns;
    startable.push_back(entry.run.id);
  }
  return startable;
}

tutti::v1::Queued RunQueue::Describe(const std::string& id) const {
  tutti::v1::Queued queued;
  const auto self =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.run.id == id; });
  if (self == entries_.end() || self->running) return queued;
  uint32_t position = 1;
  for (auto before = entries_.begin(); before != self; ++before) {
    if (!before->running && SharesHost(before->run, self->run)) ++position;
  }
  queued.set_position(position);
  for (const std::string& host : self->run.hosts) {
    // The first in line for this host.
    const auto holder =
        std::find_if(entries_.begin(), self, [&](const Entry& entry) { return Needs(entry.run, host); });
    if (holder == self) continue;
    queued.add_waits_for("host " + host + ": " +
                         (holder->running
                              ? "runs " + Named(holder->run) + " since " + TimeOfDay(holder->started_unix_ns)
                              : Named(holder->run) + " is next"));
  }
  return queued;
}

std::vector<std::string> RunQueue::waiting() const {
  std::vector<std::string> ids;
  for (const Entry& entry : entries_) {
    if (!entry.running) ids.push_back(entry.run.id);
  }
  return ids;
}

}  // namespace tutti::run
