// The promise of FeasibleLineEstimator over random histories: the truth lies inside the bound, and the bound
// is no wider than it says. TUTTI_CLOCK_HISTORIES=1000000 tries more of them than the suite does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "common/time/clock_estimator.h"
#include "tests/nanoseconds.h"
#include "tests/unit/common/time/clock_history.h"

namespace tutti {
namespace {

constexpr TimelineTime kNever{std::numeric_limits<int64_t>::min()};

struct Tally {
  int64_t instants = 0;       // compared with the truth
  int64_t steps_found = 0;    // steps that had to be found at once
  int64_t steps_hidden = 0;   // steps that could hide in the delay of the first exchange
  int64_t narrow_bounds = 0;  // instants with a bound below half of the best round trip
};

// What an exchange says alone, as the header derives it.
struct Interval {
  TimelineTime middle;
  HostTime host;
  double half_ns;
};

std::optional<Interval> IntervalOf(const ClockExchange& exchange) {
  const int64_t outer_ns = exchange.reply_received - exchange.probe_sent;
  const int64_t inner_ns = exchange.reply_sent - exchange.probe_received;
  const double path_ns = static_cast<double>(outer_ns - inner_ns) + static_cast<double>(inner_ns) * 501e-6;
  const auto uncertainty_ns = static_cast<double>(exchange.uncertainty_ns);
  if (outer_ns < 0 || inner_ns < 0 || path_ns + uncertainty_ns < 0) return std::nullopt;
  return Interval{exchange.probe_sent + outer_ns / 2, exchange.probe_received + inner_ns / 2,
                  std::max(path_ns, 0.0) / 2 + uncertainty_ns};
}

// Feeds one history and compares after each exchange. The first thing that is wrong is said in complaint().
class HistoryCheck {
 public:
  HistoryCheck(const ClockHistory& history, std::mt19937_64& random, Tally& tally)
      : history_(history), random_(random), tally_(tally) {}

  bool Run() {
    for (const ClockHistory::Delivery& delivery : history_.deliveries) {
      if (!Feed(delivery) || (sure_ && !Compare(delivery.at))) return false;
    }
    return true;
  }
  std::string complaint() const { return complaint_.str(); }

 private:
  bool Feed(const ClockHistory::Delivery& delivery) {
    const std::optional<Interval> interval = delivery.garbage ? std::nullopt : IntervalOf(delivery.exchange);
    const bool must_restart = interval.has_value() && PassSteps(delivery, *interval);
    // Late, and from before a step that the estimator has seen nothing of: it cannot know.
    const bool stale = passed_ > 0 && delivery.sent < history_.steps[passed_ - 1].at;
    if (stale && interval.has_value() && begin_ == kNever) sure_ = false;
    const uint64_t before = estimator_.restarts();
    estimator_.Add(delivery.exchange);
    const bool restarted = estimator_.restarts() != before;
    if (must_restart && !restarted) return Complain(delivery.at) << "a step was not found", false;
    if (restarted && sure_) return Complain(delivery.at) << "a step was found where none is", false;
    if (!interval.has_value()) return true;
    newest_ = std::max(newest_, interval->middle);
    if (restarted) {
      sure_ = true;
      begin_ = newest_;
      std::erase_if(known_, [&](const Interval& each) { return each.middle < newest_; });
    }
    if (!stale) known_.push_back(*interval);
    return true;
  }

  // Whether this exchange is the first after a step, and the step too large to hide in its delay.
  bool PassSteps(const ClockHistory::Delivery& delivery, const Interval& interval) {
    int64_t step_ns = 0;
    const size_t passed = passed_;
    while (passed_ < history_.steps.size() && history_.steps[passed_].at < delivery.sent) {
      step_ns += history_.steps[passed_++].step_ns;
    }
    if (passed_ == passed) return false;
    const std::optional<ClockMapping> mapping = estimator_.At(delivery.at);
    if (!mapping.has_value()) return false;
    const int64_t bound_ns = mapping->BoundAt(interval.host + -step_ns);
    const double hides_ns = 2.02 * (static_cast<double>(bound_ns) + interval.half_ns) + 50;
    const bool found = sure_ && std::abs(static_cast<double>(step_ns)) > hides_ns;
    ++(found ? tally_.steps_found : tally_.steps_hidden);
    sure_ = false;
    return found;
  }

  bool Compare(TimelineTime now) {
    constexpr int64_t kEver = std::numeric_limits<int64_t>::max();
    const int64_t until_ns = passed_ < history_.steps.size() ? history_.steps[passed_].at.ns : kEver;
    const int64_t since_ns =
        passed_ > 0 ? history_.steps[passed_ - 1].at.ns : history_.deliveries.front().sent.ns;
    const std::optional<ClockMapping> mapping = estimator_.At(now);
    if (!mapping.has_value() || now.ns >= until_ns) return true;
    const auto up_to = [&](int64_t ns) {
      return static_cast<int64_t>(random_() % static_cast<uint64_t>(ns));
    };
    for (const TimelineTime at : {now, now + up_to(2 * kSecond), now + -up_to(1 * kSecond)}) {
      if (at.ns >= until_ns || at.ns <= since_ns) continue;
      const HostTime host = history_.clock.At(at);
      const int64_t error_ns = std::llabs(mapping->Convert(host) - at);
      ++tally_.instants;
      // 1 ns, since the host's clock shows its last full one.
      if (error_ns > mapping->BoundAt(host) + 1) {
        return Complain(at) << "wrong by " << error_ns << " ns, bound " << mapping->BoundAt(host), false;
      }
    }
    const double rate = history_.clock.RateAt(now);
    if (std::abs(-rate / (1 + rate) - mapping->drift()) > mapping->drift_bound()) {
      return Complain(now) << "drift " << mapping->drift() << " +- " << mapping->drift_bound(), false;
    }
    return CompareWidth(*mapping);
  }

  // Half the best round trip (and half the newest), and what the stated drift bound makes of its age.
  bool CompareWidth(const ClockMapping& mapping) {
    const TimelineTime now = mapping.reference_timeline();
    const Interval* best = nullptr;
    const Interval* newest = nullptr;
    for (const Interval& each : known_) {
      if (each.middle < begin_ || newest_ - each.middle > 15 * kSecond) continue;
      if (best == nullptr || each.half_ns <= best->half_ns) best = &each;
      if (newest == nullptr || each.middle >= newest->middle) newest = &each;
    }
    for (const Interval* each : {best, newest}) {
      if (each == nullptr) continue;
      const double age_ns = std::abs(static_cast<double>(now - each->middle));
      const double most_ns = (each->half_ns + age_ns * mapping.drift_bound()) * 1.003 + 8;
      if (static_cast<double>(mapping.bound_ns()) > most_ns) {
        return Complain(now) << "bound " << mapping.bound_ns() << " ns, but an exchange of " << each->half_ns
                             << " ns is " << age_ns << " ns old",
               false;
      }
    }
    if (best != nullptr && static_cast<double>(mapping.bound_ns()) < best->half_ns) ++tally_.narrow_bounds;
    return true;
  }

  std::ostream& Complain(TimelineTime at) {
    return complaint_ << (at - history_.deliveries.front().sent) / 1e9 << " s: ";
  }

  const ClockHistory& history_;
  std::mt19937_64& random_;
  Tally& tally_;
  FeasibleLineEstimator estimator_;
  size_t passed_ = 0;            // steps before the exchanges that were fed
  bool sure_ = true;             // false from a step that could hide until it is found
  TimelineTime begin_ = kNever;  // of what the estimator still goes by, once it restarted
  TimelineTime newest_ = kNever;
  std::vector<Interval> known_;
  std::ostringstream complaint_;
};

TEST(ClockHistoriesTest, TheTruthLiesInsideTheBoundAndTheBoundIsNoWiderThanStated) {
  const char* const asked = std::getenv("TUTTI_CLOCK_HISTORIES");
  const int64_t histories = asked != nullptr ? std::atoll(asked) : 10'000;
  ASSERT_GT(histories, 0);
  Tally tally;
  for (int64_t i = 0; i < histories; ++i) {
    std::mt19937_64 random(20261130 + static_cast<uint64_t>(i));
    const ClockHistory history = MakeClockHistory(random);
    HistoryCheck check(history, random, tally);
    ASSERT_TRUE(check.Run()) << "history " << i << ", " << check.complaint();
  }
  RecordProperty("instants", std::to_string(tally.instants));
  RecordProperty("steps_found", std::to_string(tally.steps_found));
  RecordProperty("steps_hidden", std::to_string(tally.steps_hidden));
  RecordProperty("narrow_bounds", std::to_string(tally.narrow_bounds));
  // The histories are what they claim to be.
  EXPECT_GT(tally.instants, 20 * histories);
  EXPECT_GT(tally.steps_found, histories / 20);
  EXPECT_GT(tally.steps_hidden, histories / 1'000);
  EXPECT_GT(tally.narrow_bounds, histories / 10);
}

}  // namespace
}  // namespace tutti
