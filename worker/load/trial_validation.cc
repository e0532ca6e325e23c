#include "worker/load/trial_validation.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/units/stream_bounds.h"
#include "worker/load/exchange_validation.h"
#include "worker/load/socket_address.h"
#include "worker/load/udp_header.h"
#include "worker/load/way_outcome.h"

namespace tutti::load {
namespace {

constexpr uint64_t kMostMessageBytes = uint64_t{1} << 30;
constexpr int64_t kMostNs = int64_t{30} * 24 * 3600 * 1'000'000'000;
constexpr int64_t kMostIntervals = 1'000'000;

absl::Status Invalid(const StreamConfig& config, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("stream ", config.stream_id, ": ", what));
}

absl::Status ValidateTiming(const TrialTiming& timing) {
  for (const int64_t ns : {timing.warmup_ns, timing.measure_ns, timing.cooldown_ns, timing.interval_ns}) {
    if (ns < 0 || ns > kMostNs) {
      return absl::InvalidArgumentError(absl::StrCat("timing of ", ns, "ns: it must be 0 to 30 days"));
    }
  }
  if (timing.measure_ns == 0 || timing.interval_ns == 0) {
    return absl::InvalidArgumentError("measure and interval must be above 0");
  }
  if (timing.measure_ns / timing.interval_ns >= kMostIntervals) {
    return absl::InvalidArgumentError(absl::StrCat("measure ", timing.measure_ns, "ns has more than ",
                                                   kMostIntervals, " intervals of ", timing.interval_ns,
                                                   "ns; make the interval longer"));
  }
  return absl::OkStatus();
}

absl::Status ValidateSizes(const StreamConfig& config) {
  const uint64_t most = config.protocol == Protocol::kUdp ? kLongestDatagramBytes : kMostMessageBytes;
  if (config.message_size_bytes == 0 || config.message_size_bytes > most) {
    return Invalid(
        config, absl::StrCat("message size ", config.message_size_bytes, "B: it must be 1B to ", most, "B"));
  }
  if (config.read_size_bytes &&
      (*config.read_size_bytes == 0 || *config.read_size_bytes > kMostMessageBytes)) {
    return Invalid(config, absl::StrCat("read size ", *config.read_size_bytes, "B: it must be 1B to ",
                                        kMostMessageBytes, "B"));
  }
  if (config.rate_bps && *config.rate_bps == 0) return Invalid(config, "rate 0 bps: it must be above 0");
  if (config.first_port == 0 && config.last_port != 0) {
    return Invalid(config, absl::StrCat("ports 0 to ", config.last_port, ": a range starts at 1 or above"));
  }
  return absl::OkStatus();
}

absl::Status ValidateSendWay(const StreamConfig& config) {
  const bool udp = config.protocol == Protocol::kUdp;
  const SendWay way = config.ways.send;
  if ((way == SendWay::kSendmmsg || way == SendWay::kGso) && !udp) {
    return Invalid(config, absl::StrCat("send ", NameOf(way), " is UDP's"));
  }
  if (way == SendWay::kSendfile && config.protocol != Protocol::kTcp) {
    return Invalid(config, "send sendfile is TCP's");
  }
  if (way != SendWay::kGso) return absl::OkStatus();
  if (config.ways.batch > kMostGsoSegments ||
      config.ways.batch * config.message_size_bytes > kLongestDatagramBytes) {
    return Invalid(config, absl::StrCat("gso with ", config.ways.batch, " segments of ",
                                        config.message_size_bytes, "B: at most ", kMostGsoSegments,
                                        " of them and ", kLongestDatagramBytes, "B in all"));
  }
  return absl::OkStatus();
}

absl::Status ValidateReceiveWay(const StreamConfig& config) {
  const bool udp = config.protocol == Protocol::kUdp;
  const ReceiveWay way = config.ways.receive;
  if (way != ReceiveWay::kRead && !udp) {
    return Invalid(config, absl::StrCat("receive ", NameOf(way), " is UDP's"));
  }
  if (way == ReceiveWay::kGro && config.read_size_bytes.value_or(kGroReadBytes) < kGroReadBytes) {
    return Invalid(config,
                   absl::StrCat("read size ", *config.read_size_bytes, "B: gro needs ", kGroReadBytes, "B"));
  }
  if (!config.ways.discard || !udp) return absl::OkStatus();
  if (way == ReceiveWay::kGro) return Invalid(config, "discard leaves gro's headers unread: use recvmmsg");
  if (config.message_size_bytes < UdpHeader::kBytes) {
    return Invalid(config,
                   absl::StrCat("discard with messages of ", config.message_size_bytes,
                                "B: there is no payload behind a header of ", UdpHeader::kBytes, "B"));
  }
  if (config.read_size_bytes.value_or(UdpHeader::kBytes) != UdpHeader::kBytes) {
    return Invalid(config, absl::StrCat("discard reads the header's ", UdpHeader::kBytes, "B and no more"));
  }
  return absl::OkStatus();
}

absl::Status ValidateWays(const StreamConfig& config) {
  if (config.ways.batch == 0 || config.ways.batch > kMostBatch) {
    return Invalid(config, absl::StrCat("batch ", config.ways.batch, ": it must be 1 to ", kMostBatch));
  }
  return config.side == Side::kSend ? ValidateSendWay(config) : ValidateReceiveWay(config);
}

absl::Status ValidateAddresses(const StreamConfig& config) {
  if (config.protocol == Protocol::kNull) return absl::OkStatus();
  const auto local = SocketAddress::Parse(config.local_address, 0);
  if (!local.ok()) return Invalid(config, std::string(local.status().message()));
  const auto peer = SocketAddress::Parse(config.peer_address, 0);
  if (!peer.ok()) return Invalid(config, std::string(peer.status().message()));
  if (local->family() != peer->family()) {
    return Invalid(config, absl::StrCat("its ends ", config.local_address, " and ", config.peer_address,
                                        " are of two address families"));
  }
  return absl::OkStatus();
}

absl::Status ValidateWithRx(const StreamConfig& config, const TrialTiming& timing) {
  if (!config.with_rx) return absl::OkStatus();
  const bool sends_only = config.side == Side::kSend && config.request_response.exchange == Exchange::kNone;
  if (config.protocol == Protocol::kNull || (config.protocol == Protocol::kUdp && sends_only)) {
    return Invalid(config, "cpus with_rx: nothing arrives at this end");
  }
  if (config.request_response.exchange == Exchange::kConnectRequestResponse) {
    return Invalid(config, "cpus with_rx: each transaction has a connection of its own, and a queue");
  }
  if (config.threads == ThreadChoice::kPerCpu) {
    return Invalid(config, "cpus with_rx: a thread per CPU stays on its CPU");
  }
  if (timing.warmup_ns < kLeastWarmupWithRxNs) {
    return Invalid(config, absl::StrCat("cpus with_rx: the CPU is found out in the warm-up, which lasts ",
                                        timing.warmup_ns / 1'000'000, "ms; at least ",
                                        kLeastWarmupWithRxNs / 1'000'000, "ms are needed"));
  }
  return absl::OkStatus();
}

absl::Status ValidateThreads(const StreamConfig& config) {
  if (config.threads == ThreadChoice::kPerStream) return absl::OkStatus();
  if (config.protocol == Protocol::kNull) return Invalid(config, "a thread per CPU serves sockets only");
  if (config.request_response.exchange != Exchange::kNone) {
    return Invalid(config, "a thread per CPU serves one-way streams only");
  }
  if (config.ways.receive_wait == ReceiveWait::kPoll) {
    return Invalid(config, "a thread per CPU waits for all its streams together and does not poll for one");
  }
  // Neither can go on where the socket took a part, with messages that all its streams share.
  if (config.ways.send == SendWay::kSendfile || config.ways.send == SendWay::kZerocopy) {
    return Invalid(config, absl::StrCat("a thread per CPU does not send by ", NameOf(config.ways.send)));
  }
  if (config.pacing.keeper == PaceKeeper::kSpin && config.rate_bps) {
    return Invalid(config, "a thread per CPU does not spin for one of its streams");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateTrial(const std::vector<StreamConfig>& streams, const TrialTiming& timing) {
  TUTTI_RETURN_IF_ERROR(ValidateTiming(timing));
  std::set<std::pair<uint32_t, Side>> seen;
  for (const StreamConfig& config : streams) {
    TUTTI_RETURN_IF_ERROR(ValidateSizes(config));
    TUTTI_RETURN_IF_ERROR(ValidateExchange(config));
    TUTTI_RETURN_IF_ERROR(ValidateWays(config));
    TUTTI_RETURN_IF_ERROR(ValidateThreads(config));
    TUTTI_RETURN_IF_ERROR(ValidateWithRx(config, timing));
    TUTTI_RETURN_IF_ERROR(ValidateAddresses(config));
    if (!seen.emplace(config.stream_id, config.side).second) {
      return Invalid(config, "its id is given twice for the same side");
    }
  }
  return absl::OkStatus();
}

}  // namespace tutti::load
