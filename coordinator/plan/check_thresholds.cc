// Thresholds against the entries, roles and hosts of their case, and against what their metrics can say.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "common/units/units.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/metrics/threshold_text.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Threshold;

// The metrics for which `has` is true.
template <typename Has>
std::string NamesOf(Has has) {
  std::string names;
  for (const metrics::Metric& metric : metrics::Metrics()) {
    if (has(metric)) absl::StrAppend(&names, names.empty() ? "" : ", ", metric.name);
  }
  return names;
}

class ThresholdCheck {
 public:
  ThresholdCheck(const Case& plan_case, const Threshold& threshold, const Node& node, const std::string& path,
                 ErrorList& errors)
      : case_(plan_case),
        threshold_(threshold),
        metric_(*metrics::FindMetric(threshold.metric())),
        node_(node),
        path_(path),
        errors_(errors) {}

  void Run() const {
    CheckEntry();
    CheckScope();
    CheckWindow();
    CheckAbort();
    CheckDirection();
  }

 private:
  const Position& Where(const char* key) const {
    const Node* value = Find(&node_, key);
    return value == nullptr ? node_.position : value->position;
  }
  std::string PathOf(const char* key) const {
    return Find(&node_, key) == nullptr ? path_ : JoinPath(path_, key);
  }
  void Add(const char* key, const std::string& message) const {
    errors_.Add(Where(key), PathOf(key), message);
  }

  void CheckEntry() const {
    if (threshold_.entry().empty()) return;
    std::vector<std::string> names;
    for (const auto& entry : case_.traffic()) names.push_back(entry.name());
    if (std::find(names.begin(), names.end(), threshold_.entry()) != names.end()) return;
    Add("entry", absl::StrCat("\"", threshold_.entry(), "\" is not a traffic entry",
                              DidYouMean(threshold_.entry(), names)));
  }

  void CheckScope() const {
    const bool part = threshold_.scope() == tutti::v1::THRESHOLD_SCOPE_HOST ||
                      threshold_.scope() == tutti::v1::THRESHOLD_SCOPE_PAIR ||
                      threshold_.scope() == tutti::v1::THRESHOLD_SCOPE_STREAM;
    if (part && metric_.of_streams == nullptr) {
      Add("scope", absl::StrCat(metric_.name, " is of an entry as a whole: write total or role:NAME"));
    } else if (threshold_.scope() == tutti::v1::THRESHOLD_SCOPE_ROLE) {
      CheckRole();
    } else if (threshold_.scope() == tutti::v1::THRESHOLD_SCOPE_HOST && !threshold_.member().empty()) {
      CheckHost();
    }
  }

  void CheckRole() const {
    std::vector<std::string> names;
    for (const auto& role : case_.roles()) names.push_back(role.name());
    if (std::find(names.begin(), names.end(), threshold_.member()) != names.end()) return;
    Add("scope",
        absl::StrCat("\"", threshold_.member(), "\" is not a role", DidYouMean(threshold_.member(), names)));
  }

  // Known only where every role names its hosts.
  void CheckHost() const {
    std::vector<std::string> names;
    for (const auto& role : case_.roles()) {
      if (role.hosts().empty() && role.same_as().empty()) return;
      names.insert(names.end(), role.hosts().begin(), role.hosts().end());
    }
    if (std::find(names.begin(), names.end(), threshold_.member()) != names.end()) return;
    Add("scope", absl::StrCat("\"", threshold_.member(), "\" is a host of no role",
                              DidYouMean(threshold_.member(), names)));
  }

  void CheckWindow() const {
    if (threshold_.window() != tutti::v1::THRESHOLD_WINDOW_WORST_INTERVAL) return;
    if (metric_.series != metrics::Series::kNone) return;
    const std::string known =
        NamesOf([](const metrics::Metric& metric) { return metric.series != metrics::Series::kNone; });
    Add("window", absl::StrCat("the intervals of ", metric_.name,
                               " are not known: write measure (worst_interval is possible for ", known, ")"));
  }

  // While a trial runs only the rates of an entry as a whole are known.
  void CheckAbort() const {
    if (!threshold_.abort()) return CheckGraceAlone();
    if (metric_.of_live == nullptr) {
      const std::string known =
          NamesOf([](const metrics::Metric& metric) { return metric.of_live != nullptr; });
      Add("abort", absl::StrCat(metric_.name, " is not known while a trial runs: remove abort (it is ",
                                "possible for ", known, ")"));
    }
    if (threshold_.severity() == tutti::v1::SEVERITY_WARN) {
      Add("severity", "a warning ends nothing: write severity: fail, or remove abort");
    }
    if (threshold_.scope() != tutti::v1::THRESHOLD_SCOPE_TOTAL) {
      Add("scope",
          "while a trial runs only the entry as a whole is judged: write scope: total, or remove abort");
    }
    if (threshold_.window() != tutti::v1::THRESHOLD_WINDOW_MEASURE) {
      Add("window", "abort goes by the measure window so far: write window: measure, or remove abort");
    }
    if (threshold_.abort_grace_ns() < case_.timing().measure_ns()) return;
    errors_.Warn(Where("grace"), PathOf("grace"),
                 absl::StrCat("the measure window, ", FormatDuration(case_.timing().measure_ns()),
                              ", is over before the grace period, ",
                              FormatDuration(threshold_.abort_grace_ns()), ": nothing will be aborted"));
  }

  // An abort that cannot be read has an error of its own.
  void CheckGraceAlone() const {
    const Node* abort = Find(&node_, "abort");
    if (Find(&node_, "grace") == nullptr || (abort != nullptr && abort->text != "false")) return;
    Add("grace", "is how long a threshold with abort may be missed: add abort: true, or remove grace");
  }

  // It may be meant, as for a rate that must not be exceeded.
  void CheckDirection() const {
    const bool at_least = metrics::SmallestDecides(threshold_.comparison());
    if (at_least == (metric_.better == metrics::Better::kHigher)) return;
    errors_.Warn(Where("expect"), PathOf("expect"),
                 absl::StrCat("of ", metric_.name, at_least ? " less" : " more",
                              " is better, and this passes where there is ", at_least ? "much" : "little",
                              ": write ", at_least ? "< or <=" : "> or >=", " unless that is meant"));
  }

  const Case& case_;
  const Threshold& threshold_;
  const metrics::Metric& metric_;
  const Node& node_;
  const std::string& path_;
  ErrorList& errors_;
};

const Node* Items(const Node& root) {
  const Node* thresholds = Find(&root, "thresholds");
  return thresholds == nullptr || thresholds->kind != Node::Kind::kList ? nullptr : thresholds;
}

bool JudgesAnything(const Threshold& threshold, const Case& plan_case) {
  for (const auto& entry : plan_case.traffic()) {
    if (metrics::Judges(threshold, entry, false) || metrics::Judges(threshold, entry, true)) return true;
  }
  return false;
}

// "an entry named bulk that is udp, one-way in which the role b receives"
std::string EntryWanted(const Threshold& threshold) {
  const metrics::Metric& metric = *metrics::FindMetric(threshold.metric());
  std::string text = "an entry";
  if (!threshold.entry().empty()) absl::StrAppend(&text, " named ", threshold.entry());
  if (!metrics::IsOfAny(metric)) absl::StrAppend(&text, " that is ", metric.kind->name);
  if (threshold.scope() != tutti::v1::THRESHOLD_SCOPE_ROLE) return text;
  return absl::StrCat(text, " in which the role ", threshold.member(),
                      metric.end == metrics::End::kReceivers ? " receives"
                      : metric.end == metrics::End::kSenders ? " sends"
                                                             : " takes part");
}

// Where an error of threshold `place` is, in the plan before the matrix is put in.
Position PlaceOf(const Node& root, size_t place) {
  const Node* items = Items(root);
  if (items != nullptr && place < items->items.size()) return items->items[place]->position;
  const Node* whole = Find(&root, "thresholds");
  return whole == nullptr ? root.position : whole->position;
}

}  // namespace

void CheckThresholds(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* items = Items(root);
  if (items == nullptr) return;
  for (int i = 0; i < plan_case.thresholds_size(); ++i) {
    if (plan_case.thresholds(i).metric().empty()) continue;
    const std::string path = absl::StrCat("thresholds[", i, "]");
    const Node& node = *items->items[static_cast<size_t>(i)];
    ThresholdCheck(plan_case, plan_case.thresholds(i), node, path, errors).Run();
  }
}

void CheckThresholdsJudge(const tutti::v1::Plan& plan, const Node& root, ErrorList& errors) {
  // By place and by what is judged: a matrix may put another threshold in the same place.
  std::map<std::pair<int, std::string>, std::pair<const Threshold*, bool>> judged;
  for (const Case& plan_case : plan.cases()) {
    for (int i = 0; i < plan_case.thresholds_size(); ++i) {
      const Threshold& threshold = plan_case.thresholds(i);
      const std::string what = absl::StrCat(threshold.metric(), " ", threshold.entry(), " ",
                                            static_cast<int>(threshold.scope()), " ", threshold.member());
      auto& [example, any] = judged[{i, what}];
      example = &threshold;
      any = any || JudgesAnything(threshold, plan_case);
    }
  }
  for (const auto& [key, value] : judged) {
    if (value.second) continue;
    const Threshold& threshold = *value.first;
    errors.Add(PlaceOf(root, static_cast<size_t>(key.first)), absl::StrCat("thresholds[", key.first, "]"),
               absl::StrCat("judges nothing: it takes ", EntryWanted(threshold),
                            ", and there is none: remove it, or ask for another metric or scope"));
  }
}

}  // namespace tutti::plan
