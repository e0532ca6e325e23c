// What one end of one stream is asked to do: the plan's traffic entry, resolved for this host.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::load {

enum class Side { kSend, kReceive };
// kNull moves nothing through no socket: it measures what the tool itself costs and can reach.
enum class Protocol { kTcp, kUdp, kNull };

enum class SendWay { kWrite, kSendmmsg, kGso, kSendfile, kZerocopy };
enum class ReceiveWay { kRead, kRecvmmsg, kGro };
// Of a receiver that finds nothing: see receive_poll.h.
enum class ReceiveWait { kBlock, kPoll };
enum class ThreadChoice { kPerStream, kPerCpu };
enum class Exchange { kNone, kRequestResponse, kConnectRequestResponse };
enum class PaceKeeper { kSleep, kSpin, kKernel };

// How bytes are handed to and taken from the kernel; a "message" is one datagram (UDP) or one full
// message_size (TCP) in every way.
struct Ways {
  SendWay send = SendWay::kWrite;
  ReceiveWay receive = ReceiveWay::kRead;
  uint32_t batch = 1;    // messages per call, at most: sendmmsg, gso, recvmmsg
  bool discard = false;  // the receiver lets the kernel drop the payload
  ReceiveWait receive_wait = ReceiveWait::kBlock;
};

struct Pacing {
  PaceKeeper keeper = PaceKeeper::kSleep;
  int64_t catch_up_ns = 10'000'000;  // after a hold-up at most this much of the rate is made up for
  uint32_t burst = 1;                // messages that are sent together
};

struct PacketMarks {
  std::optional<uint32_t> priority;  // SO_PRIORITY
  std::optional<uint32_t> mark;      // SO_MARK
  std::optional<uint32_t> ecn;       // 0..3
};

// The sender asks, the receiver answers.
struct RequestResponse {
  Exchange exchange = Exchange::kNone;
  uint64_t request_bytes = 0;
  uint64_t response_bytes = 0;
  uint32_t outstanding = 1;
};

// One end of one stream. Addresses are numeric, IPv4 or IPv6 (link-local ones with %device).
struct StreamConfig {
  uint32_t stream_id = 0;
  Side side = Side::kSend;
  Protocol protocol = Protocol::kUdp;
  uint64_t message_size_bytes = 0;
  std::optional<uint64_t> read_size_bytes;
  uint64_t nonce = 0;
  std::string local_address;
  std::string peer_address;
  std::string device;                           // SO_BINDTODEVICE; empty: not bound
  std::optional<uint64_t> socket_buffer_bytes;  // SO_SNDBUF of a sender, SO_RCVBUF of a receiver
  std::optional<uint32_t> cpu;                  // pinned to
  bool with_rx = false;                         // pinned to where its packets arrive, once that is known
  std::optional<bool> nodelay;
  std::string congestion;
  std::optional<uint32_t> mss_bytes;
  std::optional<uint32_t> dscp;
  std::optional<uint64_t> rate_bps;
  uint16_t first_port = 0;  // of this end; 0: any
  uint16_t last_port = 0;
  uint16_t port_offset = 0;  // where in the range the search for a free one begins
  bool best_effort = false;
  Ways ways;
  Pacing pacing;
  PacketMarks marks;
  ThreadChoice threads = ThreadChoice::kPerStream;
  RequestResponse request_response;
  std::optional<uint64_t> volume_bytes;  // the stream ends after it
};

}  // namespace tutti::load
