#include "coordinator/plan/placement.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/plan/natural_order.h"

namespace tutti::plan {
namespace {

using Labels = std::map<std::string, std::string>;
using tutti::v1::Role;

// What one role asks for with one set of labels, over all cases.
struct Demand {
  std::string role;
  Labels labels;
  bool all = false;
  uint32_t count = 0;         // the largest of the cases
  std::vector<size_t> hosts;  // places in the sorted candidates
};

Labels LabelsOf(const Role& role) { return Labels(role.labels().begin(), role.labels().end()); }

// Why a worker's labels do not match; empty if they do.
std::string Mismatch(const Candidate& candidate, const Labels& labels) {
  std::vector<std::string> reasons;
  for (const auto& [label, value] : labels) {
    auto found = candidate.labels.find(label);
    if (found == candidate.labels.end()) {
      reasons.push_back(absl::StrCat("has no label ", label));
    } else if (found->second != value) {
      reasons.push_back(absl::StrCat("its ", label, " is ", found->second, ", not ", value));
    }
  }
  return absl::StrJoin(reasons, ", ");
}

class Placer {
 public:
  Placer(const tutti::v1::Plan& plan, const std::vector<Candidate>& candidates,
         const std::set<std::string>& absent)
      : plan_(plan), absent_(absent), workers_(candidates) {
    std::sort(workers_.begin(), workers_.end(),
              [](const Candidate& a, const Candidate& b) { return NaturalLess(a.name, b.name); });
    owner_.resize(workers_.size());
  }

  absl::StatusOr<Placement> Run() {
    CollectNamedHosts();
    CollectDemands();
    for (size_t i = 0; i < demands_.size(); ++i) {
      if (!demands_[i].all) FillCounted(i);
    }
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (owner_[i]) demands_[*owner_[i]].hosts.push_back(i);
    }
    for (Demand& demand : demands_) {
      if (demand.all) FillAll(demand);
    }
    if (!problems_.empty()) return absl::FailedPreconditionError(absl::StrJoin(problems_, "\n"));
    return Assemble();
  }

 private:
  void CollectNamedHosts() {
    for (const auto& plan_case : plan_.cases()) {
      for (const Role& role : plan_case.roles()) {
        for (const std::string& host : role.hosts()) {
          if (!named_.insert({host, role.name()}).second || Exists(host)) continue;
          problems_.push_back(absl::StrCat("role ", role.name(), ": ", WhyNotThere(host)));
        }
      }
    }
  }

  void CollectDemands() {
    for (const auto& plan_case : plan_.cases()) {
      for (const Role& role : plan_case.roles()) {
        if (!role.all() && !role.has_count()) continue;
        Demand* demand = FindDemand(role);
        if (demand == nullptr) {
          demands_.push_back(Demand{role.name(), LabelsOf(role), role.all(), 0, {}});
          demand = &demands_.back();
        }
        demand->count = std::max(demand->count, role.count());
      }
    }
  }

  Demand* FindDemand(const Role& role) {
    for (Demand& demand : demands_) {
      if (demand.role == role.name() && demand.all == role.all() && demand.labels == LabelsOf(role))
        return &demand;
    }
    return nullptr;
  }

  bool Exists(const std::string& host) const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [&](const Candidate& worker) { return worker.name == host; });
  }

  bool Fits(size_t worker, const Demand& demand) const {
    return named_.count(workers_[worker].name) == 0 && Mismatch(workers_[worker], demand.labels).empty();
  }

  // Bipartite matching, one augmenting path for each host that is wanted: a role that could also take another
  // host gives way to one that cannot.
  void FillCounted(size_t demand) {
    for (uint32_t have = 0; have < demands_[demand].count; ++have) {
      std::vector<bool> visited(workers_.size());
      if (!TakeFree(demand) && !Augment(demand, visited)) {
        AddShortage(demands_[demand], have);
        return;
      }
    }
  }

  bool TakeFree(size_t demand) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (owner_[i] || !Fits(i, demands_[demand])) continue;
      owner_[i] = demand;
      return true;
    }
    return false;
  }

  bool Augment(size_t demand, std::vector<bool>& visited) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (visited[i] || !Fits(i, demands_[demand])) continue;
      visited[i] = true;
      if (owner_[i] == demand) continue;
      if (owner_[i] && !TakeFree(*owner_[i]) && !Augment(*owner_[i], visited)) continue;
      owner_[i] = demand;
      return true;
    }
    return false;
  }

  void FillAll(Demand& demand) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (owner_[i] || !Fits(i, demand)) continue;
      owner_[i] = &demand - demands_.data();
      demand.hosts.push_back(i);
    }
    if (demand.hosts.empty()) AddShortage(demand, 0);
  }

  void AddShortage(const Demand& demand, uint32_t have) {
    std::vector<std::string> wanted;
    for (const auto& [label, value] : demand.labels) wanted.push_back(absl::StrCat(label, "=", value));
    std::string text =
        absl::StrCat("role ", demand.role, " wants ",
                     demand.all ? "all workers that are left"
                                : absl::StrCat(demand.count, demand.count == 1 ? " worker" : " workers"),
                     wanted.empty() ? "" : absl::StrCat(" with ", absl::StrJoin(wanted, ", ")), ", and ",
                     have == 0   ? "none is"
                     : have == 1 ? "only 1 is"
                                 : absl::StrCat("only ", have, " are"),
                     " to be had");
    if (workers_.empty()) {
      problems_.push_back(absl::StrCat(text, ": ", WhoIsThere()));
      return;
    }
    absl::StrAppend(&text, ":");
    for (size_t i = 0; i < workers_.size(); ++i)
      absl::StrAppend(&text, "\n  ", workers_[i].name, ": ", Why(i, demand));
    problems_.push_back(text);
  }

  std::string Why(size_t worker, const Demand& demand) const {
    std::string mismatch = Mismatch(workers_[worker], demand.labels);
    if (!mismatch.empty()) return mismatch;
    auto named = named_.find(workers_[worker].name);
    if (named != named_.end()) return absl::StrCat("is named by role ", named->second);
    if (owner_[worker]) return absl::StrCat("matches, taken for role ", demands_[*owner_[worker]].role);
    return "matches";
  }

  std::string WhyNotThere(const std::string& host) const {
    if (absent_.contains(host)) return absl::StrCat("worker \"", host, "\" takes no run at present");
    return absl::StrCat("there is no worker \"", host, "\": ", WhoIsThere());
  }

  std::string WhoIsThere() const {
    if (workers_.empty() && !absent_.empty()) return "no worker takes a run at present";
    if (workers_.empty()) return "no worker is connected; start tutti-worker on the hosts";
    std::vector<std::string> names;
    for (const Candidate& worker : workers_) names.push_back(worker.name);
    return absl::StrCat("workers are ", absl::StrJoin(names, ", "));
  }

  Placement Assemble() {
    Placement placement;
    std::set<std::string> used;
    for (const auto& plan_case : plan_.cases()) {
      RoleHosts roles;
      for (const Role& role : plan_case.roles()) {
        if (role.same_as().empty()) roles[role.name()] = HostsOf(role);
      }
      for (const Role& role : plan_case.roles()) {
        if (!role.same_as().empty()) roles[role.name()] = roles[role.same_as()];
      }
      for (const auto& [role, hosts] : roles) used.insert(hosts.begin(), hosts.end());
      placement.cases.push_back(std::move(roles));
    }
    placement.hosts.assign(used.begin(), used.end());
    std::sort(placement.hosts.begin(), placement.hosts.end(), NaturalLess);
    return placement;
  }

  std::vector<std::string> HostsOf(const Role& role) {
    if (role.hosts_size() > 0) return {role.hosts().begin(), role.hosts().end()};
    std::vector<std::string> hosts;
    const Demand* demand = FindDemand(role);
    if (demand == nullptr) return hosts;
    const size_t count = role.all() ? demand->hosts.size() : role.count();
    for (size_t i = 0; i < count; ++i) hosts.push_back(workers_[demand->hosts[i]].name);
    return hosts;
  }

  const tutti::v1::Plan& plan_;
  const std::set<std::string>& absent_;
  std::vector<Candidate> workers_;            // by name
  std::map<std::string, std::string> named_;  // host -> a role that names it
  std::vector<Demand> demands_;
  std::vector<std::optional<size_t>> owner_;  // of each worker: a demand
  std::vector<std::string> problems_;
};

}  // namespace

absl::StatusOr<Placement> Place(const tutti::v1::Plan& plan, const std::vector<Candidate>& candidates,
                                const std::set<std::string>& absent) {
  return Placer(plan, candidates, absent).Run();
}

}  // namespace tutti::plan
