#include "coordinator/run/obstacle_text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/run/local_time.h"

namespace tutti::run {
namespace {

using tutti::v1::Obstacle;

constexpr size_t kMostNamed = 4;

std::string OtherRun(const Obstacle& obstacle) {
  if (obstacle.user().empty()) return obstacle.run_id();
  return absl::StrCat(obstacle.run_id(), " of ", obstacle.user());
}

// "a", "a and b", "a, b and c"; of more than kMostNamed "a, b, c and 97 more".
std::string HostList(std::vector<std::string> hosts) {
  if (hosts.size() == 1) return hosts.front();
  std::string last = hosts.back();
  hosts.pop_back();
  if (hosts.size() >= kMostNamed) {
    last = absl::StrCat(hosts.size() + 1 - (kMostNamed - 1), " more");
    hosts.resize(kMostNamed - 1);
  }
  return absl::StrCat(absl::StrJoin(hosts, ", "), " and ", last);
}

// What is said of the hosts, of one and of several.
std::string Predicate(const Obstacle& obstacle, bool several, int64_t now_unix_ns) {
  const std::string since = obstacle.since_unix_ns() == 0
                                ? ""
                                : absl::StrCat(" since ", ShortTime(obstacle.since_unix_ns(), now_unix_ns));
  switch (obstacle.kind()) {
    case Obstacle::KIND_BUSY:
      return absl::StrCat(several ? "run " : "runs ", OtherRun(obstacle), since,
                          obstacle.has_expected_left_ns()
                              ? absl::StrCat(", ", FormatTimeLeft(obstacle.expected_left_ns()))
                              : "");
    case Obstacle::KIND_NEXT:
      return absl::StrCat(several ? "go to " : "goes to ", OtherRun(obstacle), " first");
    default:
      return absl::StrCat(several ? "are lost" : "is lost", since);
  }
}

}  // namespace

std::string ObstacleLine(const Obstacle& obstacle) {
  const bool busy = obstacle.kind() == Obstacle::KIND_BUSY;
  return absl::StrCat(
      "host ", obstacle.host(), ": ",
      busy ? absl::StrCat("runs ", OtherRun(obstacle), " since ", TimeOfDay(obstacle.since_unix_ns()))
           : absl::StrCat(OtherRun(obstacle), " is next"));
}

std::string ObstacleSentence(const std::vector<Obstacle>& obstacles, int64_t now_unix_ns) {
  struct Group {
    std::string predicate;  // as said of one host
    const Obstacle* like;
    std::vector<std::string> hosts;
  };
  std::vector<Group> groups;
  for (const Obstacle& each : obstacles) {
    std::string predicate = Predicate(each, false, now_unix_ns);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& other) { return other.predicate == predicate; });
    if (group == groups.end()) {
      groups.push_back({std::move(predicate), &each, {}});
      group = std::prev(groups.end());
    }
    group->hosts.push_back(each.host());
  }
  std::vector<std::string> parts;
  for (Group& group : groups) {
    const bool several = group.hosts.size() > 1;
    parts.push_back(absl::StrCat(HostList(std::move(group.hosts)), " ",
                                 several ? Predicate(*group.like, true, now_unix_ns) : group.predicate));
  }
  return absl::StrJoin(parts, "; ");
}

}  // namespace tutti::run
