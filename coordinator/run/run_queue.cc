#include "coordinator/run/run_queue.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/run/obstacle_text.h"

namespace tutti::run {
namespace {

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

std::vector<RunQueue::Entry>::const_iterator RunQueue::FindWaiting(const std::string& id) const {
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.run.id == id && !entry.running; });
}

tutti::v1::Queued RunQueue::Describe(const std::string& id) const {
  tutti::v1::Queued queued;
  const auto self = FindWaiting(id);
  if (self == entries_.end()) return queued;
  uint32_t position = 1;
  for (auto before = entries_.begin(); before != self; ++before) {
    if (!before->running && SharesHost(before->run, self->run)) ++position;
  }
  queued.set_position(position);
  for (const tutti::v1::Obstacle& each : Obstacles(id)) queued.add_waits_for(ObstacleLine(each));
  return queued;
}

std::vector<tutti::v1::Obstacle> RunQueue::Obstacles(const std::string& id) const {
  std::vector<tutti::v1::Obstacle> obstacles;
  const auto self = FindWaiting(id);
  if (self == entries_.end()) return obstacles;
  for (const std::string& host : self->run.hosts) {
    // The first in line for this host.
    const auto holder =
        std::find_if(entries_.begin(), self, [&](const Entry& entry) { return Needs(entry.run, host); });
    if (holder == self) continue;
    tutti::v1::Obstacle& obstacle = obstacles.emplace_back();
    obstacle.set_host(host);
    obstacle.set_kind(holder->running ? tutti::v1::Obstacle::KIND_BUSY : tutti::v1::Obstacle::KIND_NEXT);
    obstacle.set_run_id(holder->run.id);
    obstacle.set_user(holder->run.user);
    obstacle.set_since_unix_ns(holder->running ? holder->started_unix_ns : holder->run.submitted_unix_ns);
  }
  return obstacles;
}

std::vector<std::string> RunQueue::waiting() const {
  std::vector<std::string> ids;
  for (const Entry& entry : entries_) {
    if (!entry.running) ids.push_back(entry.run.id);
  }
  return ids;
}

}  // namespace tutti::run
