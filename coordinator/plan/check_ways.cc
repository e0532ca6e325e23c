#include "coordinator/plan/check_ways.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"
#include "common/units/units.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/language.h"

namespace tutti::plan {
namespace {

using tutti::v1::TrafficEntry;

// Of one stream's receive buffers; more is hardly meant.
constexpr uint64_t kMostReadBytes = uint64_t{256} << 20;

struct Context {
  const TrafficEntry& entry;
  const Node& node;
  const std::string& path;
  ErrorList& errors;

  bool Has(const std::string& key) const { return Find(&node, key) != nullptr; }
  void Add(const std::string& key, const std::string& message) const {
    const Node* value = Find(&node, key);
    errors.Add(value == nullptr ? node.position : value->position, JoinPath(path, key), message);
  }
};

void CheckProtocol(const Context& context) {
  const tutti::v1::Ways& ways = context.entry.ways();
  const bool udp = context.entry.protocol() == tutti::v1::PROTOCOL_UDP;
  if (!udp && ways.send() == tutti::v1::SEND_WAY_SENDMMSG) {
    context.Add("send", "sendmmsg is UDP's: write send: write, or protocol: udp");
  }
  if (!udp && ways.send() == tutti::v1::SEND_WAY_GSO) {
    context.Add(
        "send",
        "gso is UDP's, TCP's segments are cut by the kernel anyway: write send: write, or protocol: udp");
  }
  if (udp && ways.send() == tutti::v1::SEND_WAY_SENDFILE) {
    context.Add("send", "sendfile is TCP's: write send: write, or protocol: tcp");
  }
  if (!udp && ways.receive() == tutti::v1::RECEIVE_WAY_RECVMMSG) {
    context.Add("receive", "recvmmsg is UDP's: write receive: read, or protocol: udp");
  }
  if (!udp && ways.receive() == tutti::v1::RECEIVE_WAY_GRO) {
    context.Add("receive", "gro is UDP's: write receive: read, or protocol: udp");
  }
}

void CheckBatch(const Context& context) {
  const tutti::v1::Ways& ways = context.entry.ways();
  const bool gso = ways.send() == tutti::v1::SEND_WAY_GSO;
  const bool batches =
      gso || ways.send() == tutti::v1::SEND_WAY_SENDMMSG || ways.receive() == tutti::v1::RECEIVE_WAY_RECVMMSG;
  if (!batches) {
    if (context.Has("batch")) {
      context.Add("batch",
                  "each call moves one message: remove batch, or write send: sendmmsg, send: gso or receive: "
                  "recvmmsg");
    }
    return;
  }
  const uint64_t size = context.entry.message_size_bytes();
  if (!gso || size == 0 || size > kLongestDatagramBytes) return;
  const uint64_t most = std::min(kLongestDatagramBytes / size, uint64_t{kMostGsoSegments});
  if (ways.batch() <= most) return;
  context.Add("batch", absl::StrCat("gso with ", ways.batch(), " segments of ", FormatSize(size),
                                    ": one call takes at most ", kMostGsoSegments, " of them and ",
                                    kLongestDatagramBytes, "B in all: write at most ", most));
}

void CheckDiscard(const Context& context) {
  const TrafficEntry& entry = context.entry;
  if (!entry.ways().discard() || entry.protocol() != tutti::v1::PROTOCOL_UDP) return;
  if (entry.ways().receive() == tutti::v1::RECEIVE_WAY_GRO) {
    context.Add(
        "discard",
        "the headers of datagrams that gro has joined would be dropped too: write receive: recvmmsg or "
        "read");
  }
  if (entry.message_size_bytes() < kDatagramHeaderBytes) {
    context.Add("discard", absl::StrCat("messages of ", FormatSize(entry.message_size_bytes()),
                                        " have nothing behind a header of ", kDatagramHeaderBytes,
                                        "B that could be dropped: remove discard"));
  }
  if (context.Has("read_size")) {
    context.Add("read_size", absl::StrCat("with discard only the header of ", kDatagramHeaderBytes,
                                          "B is read: remove read_size"));
  }
}

void CheckReadSize(const Context& context) {
  const TrafficEntry& entry = context.entry;
  if (!entry.has_read_size_bytes()) return;
  const uint64_t size = entry.read_size_bytes();
  if (entry.ways().receive() == tutti::v1::RECEIVE_WAY_GRO && size < kGroReadBytes) {
    context.Add("read_size", absl::StrCat(FormatSize(size), " would cut what gro joins: write at least ",
                                          FormatSize(kGroReadBytes), ", or leave it out"));
  }
  if (entry.ways().receive() == tutti::v1::RECEIVE_WAY_RECVMMSG &&
      size > kMostReadBytes / std::max<uint32_t>(1, entry.ways().batch())) {
    context.Add("read_size", absl::StrCat(entry.ways().batch(), " buffers of ", FormatSize(size),
                                          " for each stream: write at most ",
                                          kMostReadBytes / entry.ways().batch(), "B, or a smaller batch"));
  }
}

}  // namespace

void CheckWays(const TrafficEntry& entry, const Node& node, const std::string& path, ErrorList& errors) {
  const Context context{entry, node, path, errors};
  if (entry.has_request_response()) return;  // refused by check_exchange.cc
  if (entry.protocol() == tutti::v1::PROTOCOL_UNSPECIFIED) return;
  CheckProtocol(context);
  CheckBatch(context);
  CheckDiscard(context);
  CheckReadSize(context);
}

}  // namespace tutti::plan
