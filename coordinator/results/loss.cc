#include "coordinator/results/loss.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

struct Counts {
  uint64_t sent = 0;
  uint64_t in_order = 0;
  uint64_t reordered = 0;
  uint64_t late = 0;
  uint64_t lost = 0;
  uint64_t duplicates = 0;
};

// False: more arrived for the first time than was sent.
bool CloseCohort(const v1::SentCohort& sent, const v1::ReceivedCohort& received, Counts& sum,
                 uint64_t& lost) {
  const uint64_t first_arrivals = received.in_order() + received.reordered();
  if (first_arrivals > sent.messages()) return false;
  const uint64_t unaccounted = sent.messages() - first_arrivals;
  const uint64_t late = std::min(received.late(), unaccounted);
  lost = unaccounted - late;
  sum.sent += sent.messages();
  sum.in_order += received.in_order();
  sum.reordered += received.reordered();
  sum.late += late;
  sum.lost += lost;
  sum.duplicates += received.duplicates() + (received.late() - late);
  return true;
}

void Fill(const Counts& sum, v1::LossCounts& counts) {
  counts.set_sent(sum.sent);
  counts.set_in_order(sum.in_order);
  counts.set_reordered(sum.reordered);
  counts.set_late(sum.late);
  counts.set_lost(sum.lost);
  counts.set_duplicates(sum.duplicates);
  if (sum.sent > 0) counts.set_lost_ratio(static_cast<double>(sum.lost) / static_cast<double>(sum.sent));
}

std::string Silent(const HostSeries* host, const std::string& name) {
  const std::string why = host != nullptr ? host->input->missing : std::string();
  return absl::StrCat("host ", name, " did not report the stream", why.empty() ? "" : ": ", why);
}

// Why the loss of a stream cannot be known; empty if it can.
std::string WhyUnknown(const StreamView& stream, const Grid& grid) {
  if (stream.tcp()) return "TCP: lost segments are sent again, see retransmits";
  if (stream.traffic == nullptr) return absl::StrCat("the plan has no traffic entry ", stream.flow->entry());
  if (stream.traffic->message_size_bytes() < kDatagramHeaderBytes) {
    return absl::StrCat("messages of ", stream.traffic->message_size_bytes(),
                        " B have no room for the header of ", kDatagramHeaderBytes,
                        " B that tells them apart");
  }
  const auto has_report = [](const EndSeries* end) { return end != nullptr && end->report != nullptr; };
  if (!has_report(stream.sender)) return Silent(stream.from, stream.flow->from_host());
  if (!has_report(stream.receiver)) return Silent(stream.to, stream.flow->to_host());
  if (stream.sender->failed())
    return absl::StrCat("its sender failed: ", stream.sender->report->error().message());
  if (stream.receiver->failed()) {
    return absl::StrCat("its receiver failed: ", stream.receiver->report->error().message());
  }
  const int cohorts = static_cast<int>(grid.intervals) + 2;
  if (stream.sender->report->sent_cohorts_size() != cohorts) {
    return absl::StrCat("host ", stream.flow->from_host(), " reported ",
                        stream.sender->report->sent_cohorts_size(), " cohorts of ", cohorts);
  }
  if (stream.receiver->report->received_cohorts_size() != cohorts) {
    return absl::StrCat("host ", stream.flow->to_host(), " reported ",
                        stream.receiver->report->received_cohorts_size(), " cohorts of ", cohorts);
  }
  return "";
}

}  // namespace

StreamLoss LossOf(const StreamView& stream, const Grid& grid) {
  StreamLoss loss;
  const std::string why = WhyUnknown(stream, grid);
  if (!why.empty()) {
    loss.counts.set_note(why);
    return loss;
  }
  const v1::StreamReport& sender = *stream.sender->report;
  const v1::StreamReport& receiver = *stream.receiver->report;
  Counts window;
  Counts outside;
  for (int cohort = 0; cohort < sender.sent_cohorts_size(); ++cohort) {
    const bool in_window = cohort >= 1 && cohort <= static_cast<int>(grid.intervals);
    uint64_t lost = 0;
    if (!CloseCohort(sender.sent_cohorts(cohort), receiver.received_cohorts(cohort),
                     in_window ? window : outside, lost)) {
      loss.fault = absl::StrCat(
          stream.Name(), ": of the ", sender.sent_cohorts(cohort).messages(), " datagrams of cohort ", cohort,
          ", ", receiver.received_cohorts(cohort).in_order() + receiver.received_cohorts(cohort).reordered(),
          " arrived for the first time");
      loss.counts.set_note("both ends contradict each other");
      loss.lost_intervals.clear();
      return loss;
    }
    if (in_window) loss.lost_intervals.push_back(lost);
  }
  Fill(window, loss.counts);
  loss.counts.set_foreign(receiver.foreign());
  return loss;
}

v1::LossCounts SumLoss(const std::vector<const StreamLoss*>& streams) {
  v1::LossCounts total;
  Counts sum;
  uint64_t foreign = 0;
  for (const StreamLoss* stream : streams) {
    const v1::LossCounts& counts = stream->counts;
    if (!counts.has_sent()) {
      total.set_note(counts.note());
      return total;
    }
    sum.sent += counts.sent();
    sum.in_order += counts.in_order();
    sum.reordered += counts.reordered();
    sum.late += counts.late();
    sum.lost += counts.lost();
    sum.duplicates += counts.duplicates();
    foreign += counts.foreign();
  }
  if (streams.empty()) {
    total.set_note("no stream");
    return total;
  }
  Fill(sum, total);
  total.set_foreign(foreign);
  return total;
}

}  // namespace tutti::results
