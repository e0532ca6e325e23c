#include "coordinator/telemetry/open_runs.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tutti::telemetry {

using tutti::v1::LiveEntry;
using tutti::v1::RunEvent;

void OpenRuns::OnEvent(const RunEvent& event, int64_t now_ns) {
  switch (event.body_case()) {
    case RunEvent::kQueued:
      // Told again whenever what it waits for changes: the first time counts.
      runs_.try_emplace(event.run_id(), Run{.waits_since_ns = now_ns});
      return;
    case RunEvent::kStarted:
      runs_[event.run_id()].running = true;
      return;
    case RunEvent::kInterval:
      runs_[event.run_id()].latest.assign(event.interval().entries().begin(),
                                          event.interval().entries().end());
      return;
    case RunEvent::kTrialStarted:
    case RunEvent::kTrialEnded:
      runs_[event.run_id()].latest.clear();
      return;
    case RunEvent::kEnded:
      runs_.erase(event.run_id());
      return;
    default:
      return;
  }
}

Families OpenRuns::Collect(int64_t now_ns) const {
  prometheus::MetricFamily counts =
      GaugeFamily("tutti_runs", "Runs that have not ended: they wait for their hosts, or run.");
  prometheus::MetricFamily oldest =
      GaugeFamily("tutti_queue_oldest_wait_seconds",
                  "How long the run that waits longest has been waiting; absent while none waits.");
  const char* const during = " over the latest interval that its hosts have reported; absent between trials.";
  prometheus::MetricFamily sent = GaugeFamily(
      "tutti_run_sent_bits_per_second", std::string("Payload that a run's senders handed over") + during);
  prometheus::MetricFamily received = GaugeFamily(
      "tutti_run_received_bits_per_second", std::string("Payload that a run's receivers read") + during);
  prometheus::MetricFamily transactions = GaugeFamily(
      "tutti_run_transactions_per_second", std::string("Transactions that a run completed") + during);

  size_t running = 0;
  std::optional<int64_t> oldest_ns;
  for (const auto& [id, run] : runs_) {
    if (run.running) ++running;
    if (!run.running) oldest_ns = std::max(oldest_ns.value_or(0), now_ns - run.waits_since_ns);
    for (const LiveEntry& entry : run.latest) {
      const LabelTexts labels = {
          {"run", id}, {"entry", entry.entry()}, {"direction", entry.reverse() ? "reverse" : "forward"}};
      if (entry.has_sent_bps()) AddSample(sent, entry.sent_bps(), labels);
      if (entry.has_received_bps()) AddSample(received, entry.received_bps(), labels);
      if (entry.has_transactions_per_s()) AddSample(transactions, entry.transactions_per_s(), labels);
    }
  }
  AddSample(counts, static_cast<double>(runs_.size() - running), {{"state", "waiting"}});
  AddSample(counts, static_cast<double>(running), {{"state", "running"}});
  if (oldest_ns.has_value()) AddSample(oldest, static_cast<double>(*oldest_ns) / 1e9);
  Families families;
  for (prometheus::MetricFamily* each : {&counts, &oldest, &sent, &received, &transactions}) {
    families.push_back(std::move(*each));
  }
  return families;
}

}  // namespace tutti::telemetry
