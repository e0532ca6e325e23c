// Moves the bytes of one trial on one host: its streams, their threads, and the sampler that reads their
// counters.
//
// A LoadTrial goes through the phases of a trial in order: Prepare -> Connect -> Arm -> WaitSenders -> Drain
// -> Report; Abort is allowed from any thread at any time and makes every blocking call return within 100 ms.
// Apart from Abort the object is used by one thread at a time. The destructor aborts, joins every thread and
// closes every socket. Nothing here knows protobuf, gRPC or YAML.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/stats/latency_histogram.h"
#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "worker/load/stream_config.h"

namespace tutti::load {

struct TrialTiming {
  int64_t warmup_ns = 0;
  int64_t measure_ns = 0;
  int64_t cooldown_ns = 0;
  int64_t interval_ns = 0;
};

struct BoundPort {
  uint32_t stream_id = 0;
  uint16_t port = 0;
};

struct SenderFinal {
  uint32_t stream_id = 0;
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

// One reading of all counters, see EdgeSample in proto/tutti/v1/session.proto for each field's meaning.
struct Edge {
  uint32_t index = 0;
  int64_t due_trial_ns = 0;
  int64_t begin_trial_ns = 0;
  int64_t end_trial_ns = 0;
  std::vector<uint64_t> bytes;
  std::vector<uint64_t> messages;
  std::vector<uint64_t> thread_cpu_ns;
  std::vector<uint64_t> retransmits;
  std::vector<uint64_t> kernel_bytes;
  std::vector<uint64_t> rtt_us;
  std::vector<uint64_t> cwnd_segments;
  std::vector<uint64_t> queued_bytes;
  std::vector<uint64_t> delivery_rate_bytes_per_s;
  std::vector<uint64_t> busy_us;
  std::vector<uint64_t> rwnd_limited_us;
  std::vector<uint64_t> sndbuf_limited_us;
  std::vector<uint64_t> socket_drops;
};

struct SentCohort {
  uint64_t messages = 0;
  uint64_t bytes = 0;
};

struct ReceivedCohort {
  uint64_t in_order = 0;
  uint64_t reordered = 0;
  uint64_t late = 0;
  uint64_t duplicates = 0;
  uint64_t bytes = 0;
};

struct OptionOutcome {
  std::string name;
  std::string asked;
  std::string got;
  bool applied = false;
  bool forced = false;
  std::string note;
};

struct TcpInfo {
  uint64_t bytes_acked = 0;
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
  uint64_t bytes_retrans = 0;
  uint64_t total_retrans = 0;
  uint64_t rtt_us = 0;
  uint64_t rttvar_us = 0;
  uint64_t min_rtt_us = 0;
  uint64_t snd_cwnd_segments = 0;
  uint64_t snd_mss_bytes = 0;
  uint64_t pmtu_bytes = 0;
  uint64_t delivery_rate_bytes_per_s = 0;
  uint64_t busy_us = 0;
  uint64_t rwnd_limited_us = 0;
  uint64_t sndbuf_limited_us = 0;
};

// What one end of one stream did; fields as in StreamReport of proto/tutti/v1/stream.proto.
struct StreamReport {
  uint32_t stream_id = 0;
  Side side = Side::kSend;
  // UDP received: first arrivals and late ones only; duplicates and foreign datagrams are not payload.
  uint64_t total_bytes = 0;
  uint64_t total_messages = 0;
  std::optional<int64_t> first_send_before_trial_ns;
  std::optional<int64_t> first_send_after_trial_ns;
  std::optional<int64_t> running_before_trial_ns;
  std::optional<int64_t> running_trial_ns;
  std::optional<int64_t> last_send_trial_ns;
  std::optional<int64_t> first_receive_trial_ns;
  std::optional<int64_t> last_receive_trial_ns;
  std::vector<SentCohort> sent_cohorts;
  std::vector<ReceivedCohort> received_cohorts;
  uint64_t foreign = 0;
  std::optional<uint64_t> jitter_ns;
  std::optional<uint64_t> socket_drops;
  std::optional<uint64_t> socket_drops_window;
  uint64_t failed_sends = 0;
  std::optional<int64_t> worst_behind_ns;
  std::vector<OptionOutcome> options;
  std::string local_endpoint;
  std::string peer_endpoint;
  std::optional<uint64_t> path_mtu_bytes;
  std::optional<uint32_t> cpu;
  std::optional<uint32_t> rx_cpu;
  std::optional<TcpInfo> tcp;
  std::vector<std::string> warnings;
  int error_errno = 0;
  std::string error;  // empty: the stream did not fail
  uint64_t read_size_bytes = 0;
  bool drained = false;
  uint64_t max_send_call_bytes = 0;
  Ways ways;           // as they were used
  uint64_t calls = 0;  // send or receive calls that moved something
  std::optional<uint64_t> zerocopy_completions;
  std::optional<uint64_t> zerocopy_copied;
  // Of a client of request/response: null elsewhere, `corrected_latency` also without a rate.
  std::shared_ptr<const LatencyHistogram> latency;
  std::shared_ptr<const LatencyHistogram> corrected_latency;
  std::optional<int64_t> completed_trial_ns;  // of a receiver: when it had all of the fixed volume
  // Of a client over UDP.
  std::optional<uint64_t> lost_transactions;
  std::optional<uint64_t> stray_responses;
};

struct LoadReport {
  std::vector<StreamReport> streams;  // in the order of the configs
  int64_t sampler_worst_lateness_ns = 0;
  uint64_t sampler_cpu_ns = 0;
  uint64_t load_thread_cpu_ns = 0;  // of all load threads between the window's edges
  uint32_t load_threads = 0;
};

class LoadTrial {
 public:
  // `clock` outlives the trial and runs at the speed of this process's CLOCK_MONOTONIC, at any distance from
  // it. PREPARE: opens, configures and binds the sockets (receivers also listen), reads every option back,
  // starts and pins the threads, allocates every buffer and cohort array; the threads go on filling the
  // buffers behind it. All streams are tried; on failure
  // the status names the first failed stream and `failed_streams()` of the returned object is not available:
  // the error has it all.
  static absl::StatusOr<std::unique_ptr<LoadTrial>> Prepare(std::vector<StreamConfig> streams,
                                                            TrialTiming timing, const Clock& clock);
  virtual ~LoadTrial() = default;

  virtual std::vector<BoundPort> bound_ports() const = 0;  // of the receivers

  // Senders connect, all in parallel; receivers wait for their sender's connection (TCP), and both for their
  // buffers to be filled.
  virtual absl::Status Connect(const std::vector<BoundPort>& targets, HostTime deadline) = 0;

  // ARM: from here the threads start by themselves at `t0`. `on_edge` is called on the sampler's thread right
  // after each edge was read and must not block; the last call is that of the window's end. Fails if t0 has
  // passed.
  virtual absl::Status Arm(const ClockMapping& mapping, TimelineTime t0,
                           std::function<void(const Edge&)> on_edge) = 0;

  // A newer fit of this host's clock, from ARM on: trial time approaches it without a jump, see
  // SlewedMapping. From any thread, one at a time, beside the phases. Without effect before ARM.
  virtual void FollowClock(const ClockMapping& fitted) = 0;

  // Blocks until every sender has stopped (end of COOLDOWN, or failure) and the last edge was read.
  virtual std::vector<SenderFinal> WaitSenders() = 0;

  // DRAIN: receivers read on until everything in `finals` is accounted for, or as design says. Senders of TCP
  // shut their side down before WaitSenders returns. Blocks, at most until `deadline`.
  virtual void Drain(const std::vector<SenderFinal>& finals, HostTime deadline) = 0;

  // Joins the threads, closes the sockets, tells everything. Call it last.
  virtual LoadReport Report() = 0;

  virtual void Abort() = 0;
};

// The read size that is used for a stream whose plan names none: of each datagram's buffer, or of a read.
uint64_t DefaultReadSizeBytes(const StreamConfig& config);

}  // namespace tutti::load
