#include "coordinator/results/skew.h"

#include <algorithm>
#include <map>

#include "common/time/slewed_mapping.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

// Sum of the two largest, or the largest if there is one only.
int64_t TwoWorst(std::vector<int64_t> values) {
  std::sort(values.rbegin(), values.rend());
  int64_t sum = 0;
  for (size_t i = 0; i < values.size() && i < 2; ++i) sum += values[i];
  return sum;
}

// Instants of the streams' starts and what is not known about them.
class Starts {
 public:
  // A call that began and ended at these instants; the packet left somewhere in between.
  void Add(const HostSeries& host, int64_t before_trial_ns, int64_t after_trial_ns, TimelineTime t0) {
    const int64_t half_width_ns = std::max<int64_t>(0, after_trial_ns - before_trial_ns) / 2;
    const int64_t trial_ns = before_trial_ns + half_width_ns;
    min_ns_ = count_ == 0 ? trial_ns : std::min(min_ns_, trial_ns);
    max_ns_ = count_ == 0 ? trial_ns : std::max(max_ns_, trial_ns);
    int64_t& worst = clock_bounds_[host.input->host];
    worst = std::max(worst, ClockBound(host, trial_ns, t0));
    const double slewed = host.input->refits > 0 ? SlewedMapping::kSlewPpm * 1e-6 : 0;
    drift_bound_ = std::max(drift_bound_, host.input->mapping.drift_bound() + slewed);
    half_widths_.push_back(half_width_ns);
    ++count_;
  }
  size_t count() const { return count_; }
  int64_t max_ns() const { return max_ns_; }
  int64_t skew_ns() const { return max_ns_ - min_ns_; }
  int64_t bound_ns() const {
    const int64_t widths = TwoWorst(half_widths_);
    // One clock: its offset is in every instant alike, only its rate's error is left.
    if (clock_bounds_.size() == 1) {
      const auto by_rate_ns = static_cast<int64_t>(static_cast<double>(skew_ns()) * drift_bound_);
      return widths + std::min(by_rate_ns, 2 * clock_bounds_.begin()->second);
    }
    std::vector<int64_t> bounds;
    for (const auto& [host, bound] : clock_bounds_) bounds.push_back(bound);
    return widths + TwoWorst(bounds);
  }

 private:
  size_t count_ = 0;
  int64_t min_ns_ = 0;
  int64_t max_ns_ = 0;
  double drift_bound_ = 0;
  std::map<std::string, int64_t> clock_bounds_;
  std::vector<int64_t> half_widths_;
};

std::optional<double> Overlap(const std::vector<const StreamView*>& streams, const Grid& grid) {
  int64_t begin_ns = grid.begin_ns;
  int64_t end_ns = grid.end_ns;
  if (streams.empty() || end_ns <= begin_ns) return std::nullopt;
  for (const StreamView* stream : streams) {
    if (stream->sender == nullptr || stream->sender->report == nullptr || stream->sender->failed()) {
      return std::nullopt;
    }
    const v1::StreamReport& report = *stream->sender->report;
    if (!report.has_first_send_before_trial_ns()) return 0.0;  // it never sent
    if (!report.has_last_send_trial_ns()) return std::nullopt;
    begin_ns = std::max(begin_ns, report.first_send_before_trial_ns());
    end_ns = std::min(end_ns, report.last_send_trial_ns());
  }
  if (end_ns <= begin_ns) return 0.0;
  return static_cast<double>(end_ns - begin_ns) / static_cast<double>(grid.end_ns - grid.begin_ns);
}

}  // namespace

Togetherness TogethernessOf(const std::vector<const StreamView*>& streams, const TrialView& trial) {
  Togetherness result;
  Starts first;
  Starts running;
  const TimelineTime t0 = trial.input->t0;
  for (const StreamView* stream : streams) {
    if (stream->from == nullptr || stream->sender == nullptr || stream->sender->report == nullptr) continue;
    if (stream->sender->failed()) continue;
    const v1::StreamReport& report = *stream->sender->report;
    if (report.has_first_send_before_trial_ns() && report.has_first_send_after_trial_ns()) {
      first.Add(*stream->from, report.first_send_before_trial_ns(), report.first_send_after_trial_ns(), t0);
    }
    if (report.has_running_before_trial_ns() && report.has_running_trial_ns()) {
      running.Add(*stream->from, report.running_before_trial_ns(), report.running_trial_ns(), t0);
    } else {
      result.never_running.push_back(stream);
    }
  }
  const bool several = streams.size() > 1;
  const bool all_first = several && first.count() == streams.size();
  const bool all_running = several && running.count() == streams.size();
  if (all_first) result.first_send_skew_ns = first.skew_ns();
  if (all_running) result.running_skew_ns = running.skew_ns();
  if (running.count() > 0) result.last_running_ns = running.max_ns();
  if (all_first || all_running) {
    result.bound_ns = std::max(all_first ? first.bound_ns() : 0, all_running ? running.bound_ns() : 0);
  }
  result.overlap_ratio = Overlap(streams, trial.grid);
  return result;
}

std::optional<uint32_t> StalledIntervals(const StreamView& stream, const Grid& grid) {
  if (stream.traffic == nullptr || stream.traffic->has_rate_bps() || stream.exchanges()) return std::nullopt;
  if (stream.sender == nullptr || stream.sender->interval_bytes.empty()) return std::nullopt;
  const auto& intervals = stream.sender->interval_bytes;
  size_t judged = intervals.size() - (grid.LastIsShorter() ? 1 : 0);
  if (stream.has_volume() && stream.sender->report != nullptr) {
    // From its last send on it has nothing left to move.
    const int64_t last_ns = stream.sender->report->last_send_trial_ns();
    const int64_t until_end = std::max<int64_t>(0, last_ns - grid.begin_ns) / grid.interval_ns;
    judged = std::min(judged, static_cast<size_t>(until_end));
  }
  return static_cast<uint32_t>(std::count(intervals.begin(), intervals.begin() + judged, 0u));
}

}  // namespace tutti::results
