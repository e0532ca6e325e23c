#include "worker/load/socket_options.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "worker/load/int_options.h"

namespace tutti::load {
namespace {

std::string Bytes(uint64_t bytes) { return absl::StrCat(bytes, "B"); }

struct BufferOption {
  const char* name;
  const char* sysctl;
  int option;
  int force_option;
};

BufferOption BufferOptionOf(Side side) {
  return side == Side::kSend ? BufferOption{"SO_SNDBUF", "net.core.wmem_max", SO_SNDBUF, SO_SNDBUFFORCE}
                             : BufferOption{"SO_RCVBUF", "net.core.rmem_max", SO_RCVBUF, SO_RCVBUFFORCE};
}

int GetInt(int fd, int level, int option, int& value) {
  socklen_t length = sizeof(value);
  return getsockopt(fd, level, option, &value, &length) == 0 ? 0 : errno;
}

int SetInt(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof(value)) == 0 ? 0 : errno;
}

// Turns a failure into the stream's status: the first one counts, none with best_effort.
class Verdict {
 public:
  explicit Verdict(const StreamConfig& config) : best_effort_(config.best_effort) {}

  void Failed(OptionOutcome& outcome, const absl::Status& status) {
    outcome.applied = false;
    outcome.note = std::string(status.message());
    if (!best_effort_) status_.Update(status);
  }
  const absl::Status& status() const { return status_; }

 private:
  bool best_effort_;
  absl::Status status_;
};

void ReadBackInt(int fd, const IntOption& option, OptionOutcome& outcome, Verdict& verdict) {
  int got = 0;
  if (const int code = GetInt(fd, option.level, option.option, got); code != 0) {
    return verdict.Failed(outcome, ErrnoStatus(code, absl::StrCat("read back ", option.name)));
  }
  outcome.got = option.Show(got);
  outcome.applied = (got & option.mask) == (option.value & option.mask);
  if (!outcome.applied) {
    verdict.Failed(outcome, absl::FailedPreconditionError(
                                absl::StrCat("set ", option.name, " ", outcome.asked, ": the kernel has ",
                                             outcome.got, *option.advice != 0 ? "; " : "", option.advice)));
  }
}

void SetIntOption(int fd, const IntOption& option, OptionOutcome& outcome, Verdict& verdict) {
  outcome.name = option.name;
  outcome.asked = option.Show(option.value);
  if (const int code = SetInt(fd, option.level, option.option, option.value); code != 0) {
    return verdict.Failed(
        outcome, ErrnoStatus(code, absl::StrCat("set ", option.name, " ", outcome.asked), option.advice));
  }
  ReadBackInt(fd, option, outcome, verdict);
}

// The kernel counts payload: tcp_update_skb_after_send advances the next departure by the length of the
// segment without its headers over the rate (net/ipv4/tcp_output.c); with the qdisc fq too, which goes by
// that time.
void SetPacingRate(int fd, uint64_t rate_bps, OptionOutcome& outcome, Verdict& verdict) {
  const uint64_t asked = std::max<uint64_t>(1, rate_bps / 8);
  outcome.name = "SO_MAX_PACING_RATE";
  outcome.asked = absl::StrCat(asked, "B/s");
  // Since Linux 4.20 the value may have 64 bits, of which 32-bit ones reach 34 Gbps only.
  if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &asked, sizeof(asked)) != 0) {
    return verdict.Failed(outcome,
                          ErrnoStatus(errno, absl::StrCat("set SO_MAX_PACING_RATE ", outcome.asked)));
  }
  uint64_t got = 0;
  socklen_t length = sizeof(got);
  if (getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &got, &length) != 0) {
    return verdict.Failed(outcome, ErrnoStatus(errno, "read back SO_MAX_PACING_RATE"));
  }
  outcome.got = absl::StrCat(got, "B/s");
  outcome.applied = got == asked;
  if (!outcome.applied) {
    verdict.Failed(outcome, absl::FailedPreconditionError(absl::StrCat(
                                "set SO_MAX_PACING_RATE ", outcome.asked, ": the kernel has ", outcome.got)));
  }
}

// tcpi_snd_mss is what a segment of this connection carries: the smaller of the two ends' MSS and of what the
// path's MTU leaves, less the timestamps that RFC 7323 puts into each segment.
void ReadBackMss(int fd, uint32_t asked, OptionOutcome& outcome, Verdict& verdict) {
  constexpr uint32_t kTimestampBytes = 12;
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) {
    return verdict.Failed(outcome, ErrnoStatus(errno, "read back the MSS of the connection"));
  }
  const bool timestamps = (info.tcpi_options & TCPI_OPT_TIMESTAMPS) != 0;
  outcome.got = Bytes(info.tcpi_snd_mss);
  outcome.applied = info.tcpi_snd_mss + (timestamps ? kTimestampBytes : 0) == asked;
  if (!outcome.applied) {
    return verdict.Failed(outcome, absl::FailedPreconditionError(absl::StrCat(
                                       "set TCP_MAXSEG: asked ", outcome.asked, ", the path allows ",
                                       outcome.got, ": lower mss or raise the MTU")));
  }
  if (timestamps) outcome.note = absl::StrCat(Bytes(kTimestampBytes), " of each segment are timestamps");
}

// What `got`, as getsockopt gave it, says about the buffer that was asked for.
void JudgeBuffer(const BufferOption& option, uint64_t asked, int got, OptionOutcome& outcome,
                 Verdict& verdict) {
  outcome.got = Bytes(static_cast<uint64_t>(got) / 2);
  outcome.applied = static_cast<uint64_t>(got) == 2 * asked;
  if (outcome.applied) return;
  const std::string tried =
      absl::StrCat("set ", option.name, " to ", outcome.asked, ": the kernel gives ", outcome.got);
  if (asked > INT_MAX / 2) {
    return verdict.Failed(outcome, absl::FailedPreconditionError(
                                       absl::StrCat(tried, "; Linux takes at most ", INT_MAX / 2, "B")));
  }
  if (static_cast<uint64_t>(got) > 2 * asked) {
    return verdict.Failed(outcome, absl::FailedPreconditionError(
                                       absl::StrCat(tried, "; that is the least it takes, ask for as much")));
  }
  verdict.Failed(outcome, absl::FailedPreconditionError(
                              absl::StrCat(tried, "; allow it with `sysctl -w ", option.sysctl, "=", asked,
                                           "`, or run with CAP_NET_ADMIN, or say best_effort")));
}

void SetBuffer(int fd, Side side, uint64_t asked, OptionOutcome& outcome, Verdict& verdict) {
  const BufferOption option = BufferOptionOf(side);
  outcome.name = option.name;
  outcome.asked = Bytes(asked);
  const int value = static_cast<int>(std::min<uint64_t>(asked, INT_MAX));
  int got = 0;
  if (const int code = SetInt(fd, SOL_SOCKET, option.option, value); code != 0) {
    return verdict.Failed(outcome,
                          ErrnoStatus(code, absl::StrCat("set ", option.name, " to ", outcome.asked)));
  }
  if (const int code = GetInt(fd, SOL_SOCKET, option.option, got); code != 0) {
    return verdict.Failed(outcome, ErrnoStatus(code, absl::StrCat("read back ", option.name)));
  }
  // A refusal needs no word of its own: the plain option's outcome says what to do.
  if (static_cast<uint64_t>(got) < 2 * asked && SetInt(fd, SOL_SOCKET, option.force_option, value) == 0) {
    if (const int code = GetInt(fd, SOL_SOCKET, option.option, got); code != 0) {
      return verdict.Failed(outcome, ErrnoStatus(code, absl::StrCat("read back ", option.name)));
    }
    outcome.forced = static_cast<uint64_t>(got) == 2 * asked;
  }
  JudgeBuffer(option, asked, got, outcome, verdict);
}

std::string AvailableCongestionControls() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
  std::string line;
  if (!std::getline(file, line) || line.empty()) return "modprobe tcp_NAME may load it";
  return absl::StrCat("available here: ", line);
}

void ReadBackCongestion(int fd, OptionOutcome& outcome, Verdict& verdict) {
  char name[64] = "";
  socklen_t length = sizeof(name) - 1;
  if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) != 0) {
    return verdict.Failed(outcome, ErrnoStatus(errno, "read back TCP_CONGESTION"));
  }
  outcome.got = name;
  outcome.applied = outcome.got == outcome.asked;
  if (!outcome.applied) {
    verdict.Failed(outcome, absl::FailedPreconditionError(absl::StrCat("set TCP_CONGESTION ", outcome.asked,
                                                                       ": the kernel uses ", outcome.got)));
  }
}

// What the kernel chose is part of the result where the plan leaves it to the kernel.
void RecordDefaultCongestion(int fd, std::vector<OptionOutcome>& outcomes) {
  char name[64] = "";
  socklen_t length = sizeof(name) - 1;
  if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) != 0) return;
  outcomes.push_back({.name = "TCP_CONGESTION", .asked = "default", .got = name, .applied = true});
}

void SetCongestion(int fd, const std::string& congestion, OptionOutcome& outcome, Verdict& verdict) {
  outcome.name = "TCP_CONGESTION";
  outcome.asked = congestion;
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion.data(),
                 static_cast<socklen_t>(congestion.size())) != 0) {
    const int code = errno;
    return verdict.Failed(outcome, ErrnoStatus(code, absl::StrCat("set TCP_CONGESTION ", congestion),
                                               AvailableCongestionControls()));
  }
  ReadBackCongestion(fd, outcome, verdict);
}

void SetDevice(int fd, const std::string& device, OptionOutcome& outcome, Verdict& verdict) {
  outcome.name = "SO_BINDTODEVICE";
  outcome.asked = device;
  if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device.data(), static_cast<socklen_t>(device.size())) !=
      0) {
    const int code = errno;
    return verdict.Failed(outcome, ErrnoStatus(code, absl::StrCat("set SO_BINDTODEVICE ", device),
                                               code == ENODEV ? "`ip link` lists this host's devices" : ""));
  }
  char name[64] = "";
  socklen_t length = sizeof(name) - 1;
  if (getsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, &length) != 0) {
    return verdict.Failed(outcome, ErrnoStatus(errno, "read back SO_BINDTODEVICE"));
  }
  outcome.got = name;
  outcome.applied = outcome.got == device;
}

}  // namespace

OptionOutcome* FindOutcome(std::vector<OptionOutcome>& outcomes, const char* name) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(),
                                  [name](const OptionOutcome& outcome) { return outcome.name == name; });
  return found == outcomes.end() ? nullptr : &*found;
}

absl::Status SetSocketOptions(int fd, sa_family_t family, const StreamConfig& config,
                              std::vector<OptionOutcome>& outcomes) {
  Verdict verdict(config);
  if (config.socket_buffer_bytes) {
    SetBuffer(fd, config.side, *config.socket_buffer_bytes, outcomes.emplace_back(), verdict);
  }
  for (const IntOption& option : IntOptions(family, config)) {
    SetIntOption(fd, option, outcomes.emplace_back(), verdict);
  }
  if (config.protocol == Protocol::kTcp && !config.congestion.empty()) {
    SetCongestion(fd, config.congestion, outcomes.emplace_back(), verdict);
  }
  if (config.rate_bps && config.pacing.keeper == PaceKeeper::kKernel) {
    SetPacingRate(fd, *config.rate_bps, outcomes.emplace_back(), verdict);
  }
  if (!config.device.empty()) SetDevice(fd, config.device, outcomes.emplace_back(), verdict);
  return verdict.status();
}

absl::Status ReadBackSocketOptions(int fd, sa_family_t family, const StreamConfig& config,
                                   std::vector<OptionOutcome>& outcomes) {
  Verdict verdict(config);
  const BufferOption buffer = BufferOptionOf(config.side);
  int got = 0;
  if (GetInt(fd, SOL_SOCKET, buffer.option, got) == 0) {
    if (!config.socket_buffer_bytes) {
      outcomes.push_back({.name = buffer.name,
                          .asked = "default",
                          .got = Bytes(static_cast<uint64_t>(got) / 2),
                          .applied = true,
                          .note = absl::StrCat("the kernel counts ", got, "B, twice what is asked for")});
    } else if (OptionOutcome* outcome = FindOutcome(outcomes, buffer.name)) {
      JudgeBuffer(buffer, *config.socket_buffer_bytes, got, *outcome, verdict);
    }
  }
  for (const IntOption& option : IntOptions(family, config)) {
    OptionOutcome* outcome = FindOutcome(outcomes, option.name);
    if (!option.kept_on_connection || outcome == nullptr || !outcome->applied) continue;
    // An accepted socket begins with priority 0 (net/core/sock.c, sk_clone_lock).
    if (option.option == SO_PRIORITY && option.level == SOL_SOCKET) {
      SetIntOption(fd, option, *outcome, verdict);
    } else {
      ReadBackInt(fd, option, *outcome, verdict);
    }
  }
  OptionOutcome* mss = FindOutcome(outcomes, "TCP_MAXSEG");
  if (mss != nullptr && mss->applied) ReadBackMss(fd, *config.mss_bytes, *mss, verdict);
  if (config.protocol == Protocol::kTcp && config.side == Side::kSend && config.congestion.empty()) {
    RecordDefaultCongestion(fd, outcomes);
    return verdict.status();
  }
  OptionOutcome* congestion = FindOutcome(outcomes, "TCP_CONGESTION");
  if (congestion != nullptr && congestion->applied) ReadBackCongestion(fd, *congestion, verdict);
  return verdict.status();
}

absl::Status SetCallTimeouts(int fd, int64_t timeout_ns) {
  const timeval timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000 / 1000};
  if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) != 0) {
    return ErrnoStatus(errno, absl::StrCat("set SO_RCVTIMEO and SO_SNDTIMEO to ", timeout_ns, "ns"));
  }
  return absl::OkStatus();
}

absl::Status SetResetOnClose(int fd, bool on) {
  const linger value{on ? 1 : 0, 0};
  if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, sizeof(value)) != 0)
    return ErrnoStatus(errno, "set SO_LINGER");
  return absl::OkStatus();
}

absl::Status SetBlocking(int fd, bool blocking) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) < 0) {
    return ErrnoStatus(errno, "set O_NONBLOCK");
  }
  return absl::OkStatus();
}

std::optional<uint64_t> PathMtuBytes(int fd, sa_family_t family) {
  int mtu = 0;
  const int code =
      family == AF_INET6 ? GetInt(fd, IPPROTO_IPV6, IPV6_MTU, mtu) : GetInt(fd, IPPROTO_IP, IP_MTU, mtu);
  if (code != 0 || mtu <= 0) return std::nullopt;
  return static_cast<uint64_t>(mtu);
}

std::optional<uint32_t> SocketDrops(int fd) {
  uint32_t info[SK_MEMINFO_VARS] = {};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length) != 0) return std::nullopt;
  if (length <= SK_MEMINFO_DROPS * sizeof(info[0])) return std::nullopt;
  return info[SK_MEMINFO_DROPS];
}

}  // namespace tutti::load
