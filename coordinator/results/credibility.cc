#include "coordinator/results/credibility.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "coordinator/results/transactions.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

bool BothReported(const StreamView& stream) {
  return stream.sender != nullptr && stream.receiver != nullptr && stream.sender->report != nullptr &&
         stream.receiver->report != nullptr && !stream.sender->failed() && !stream.receiver->failed();
}

// The sender's first count that was certainly read after the receiver's edge; its total if there is none.
uint64_t SentLater(const StreamView& stream, const v1::EdgeSample& received_at, TimelineTime t0) {
  const int64_t latest_ns =
      received_at.end_trial_ns() + ClockBound(*stream.to, received_at.end_trial_ns(), t0);
  for (const v1::EdgeSample* edge : stream.from->edges) {
    if (edge == nullptr) continue;
    if (edge->begin_trial_ns() - ClockBound(*stream.from, edge->begin_trial_ns(), t0) >= latest_ns) {
      return edge->bytes(static_cast<int>(stream.sender->column));
    }
  }
  return stream.sender->report->total_bytes();
}

}  // namespace

std::vector<std::string> ReceivedBeforeSent(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const StreamView& stream : trial.streams) {
    // Datagrams may be duplicated on the way; without a header nobody can tell.
    if (stream.traffic == nullptr || !BothReported(stream)) continue;
    if (stream.udp() && stream.receiver->report->received_cohorts_size() == 0) continue;
    const uint64_t in_call = stream.sender->report->max_send_call_bytes();
    // Duplicates are not counted as received, but behind the tracking window they look like new ones.
    uint64_t duplicated = 0;
    for (const v1::ReceivedCohort& cohort : stream.receiver->report->received_cohorts()) {
      duplicated += cohort.late() * stream.traffic->message_size_bytes();
    }
    for (const v1::EdgeSample* edge : stream.to->edges) {
      if (edge == nullptr) continue;
      const uint64_t received = edge->bytes(static_cast<int>(stream.receiver->column));
      const uint64_t sent = SentLater(stream, *edge, trial.input->t0);
      if (received <= sent + in_call + duplicated) continue;
      findings.push_back(absl::StrCat(stream.Name(), ": at edge ", edge->index(), " the receiver had read ",
                                      received, " B while the sender had sent ", sent,
                                      " B, a little later, and at most ", in_call, " B were in a send call"));
      break;
    }
  }
  return findings;
}

std::vector<std::string> UnequalAfterDrain(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const StreamView& stream : trial.streams) {
    if (!BothReported(stream)) continue;
    const v1::StreamReport& sender = *stream.sender->report;
    const v1::StreamReport& receiver = *stream.receiver->report;
    if (stream.tcp() && receiver.total_bytes() != sender.total_bytes()) {
      findings.push_back(
          absl::StrCat(stream.Name(), ": after DRAIN ", receiver.total_bytes(), " B were received of ",
                       sender.total_bytes(), " B sent",
                       receiver.drained() ? "" : "; DRAIN ended before the end of the stream arrived"));
    }
    if (!stream.udp() || sender.sent_cohorts_size() == 0) continue;
    v1::SentCohort sum;
    for (const v1::SentCohort& cohort : sender.sent_cohorts()) {
      sum.set_messages(sum.messages() + cohort.messages());
      sum.set_bytes(sum.bytes() + cohort.bytes());
    }
    // A message of a client is a transaction and not a datagram.
    const bool one_way = !stream.traffic->has_request_response();
    if (one_way && sum.messages() != sender.total_messages()) {
      findings.push_back(absl::StrCat(stream.Name(), ": its cohorts have ", sum.messages(), " datagrams of ",
                                      sender.total_messages(), " sent"));
    } else if (sum.bytes() != sender.total_bytes()) {
      findings.push_back(absl::StrCat(stream.Name(), ": its cohorts have ", sum.bytes(), " B of ",
                                      sender.total_bytes(), " B sent"));
    }
    // Whether one cohort received more than it sent is found where the loss is counted.
  }
  return findings;
}

std::vector<std::string> KernelCountDisagrees(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const StreamView& stream : trial.streams) {
    if (!stream.tcp() || stream.receiver == nullptr || stream.receiver->report == nullptr) continue;
    const v1::StreamReport& receiver = *stream.receiver->report;
    const uint64_t kernel = receiver.tcp().bytes_received();
    if (!receiver.has_tcp() || kernel == 0 || stream.receiver->failed()) continue;
    if (receiver.total_bytes() > kernel) {
      findings.push_back(absl::StrCat(stream.Name(), ": ", receiver.total_bytes(),
                                      " B were read, but the kernel counts ", kernel,
                                      " B received (tcpi_bytes_received)"));
    } else if (receiver.drained() && kernel > receiver.total_bytes() + 1) {
      findings.push_back(absl::StrCat(stream.Name(), ": the stream was read to its end with ",
                                      receiver.total_bytes(), " B, but the kernel counts ", kernel,
                                      " B received (tcpi_bytes_received)"));
    }
  }
  return findings;
}

std::vector<std::string> ClockBoundBroken(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const HostSeries& host : trial.hosts) {
    if (!host.input->mapping_after.has_value()) continue;
    const ClockMapping before = host.input->mapping_at_end.value_or(host.input->mapping);
    const ClockMapping& after = *host.input->mapping_after;
    const HostTime end = before.ToHost(trial.input->t0 + trial.grid.end_ns);
    const int64_t moved_ns = after.Convert(end) - before.Convert(end);
    const int64_t allowed_ns = before.BoundAt(end) + after.BoundAt(end);
    if (std::llabs(moved_ns) <= allowed_ns) continue;
    findings.push_back(absl::StrCat(
        "host ", host.input->host, ": its clock left its bound: after the trial it is ", moved_ns,
        " ns from where the trial took it to be, and the bounds allow ", allowed_ns, " ns"));
  }
  return findings;
}

std::vector<std::string> CredibilityFindings(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const auto check :
       {&ReceivedBeforeSent, &UnequalAfterDrain, &KernelCountDisagrees, &DeviceCountFallsShort,
        &FasterThanLink, &ClockBoundBroken, &ImpossibleTransactions}) {
    for (std::string& finding : check(trial)) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace tutti::results
