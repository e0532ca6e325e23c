#include "coordinator/plan/check_exchange.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"
#include "common/units/units.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/language.h"

namespace tutti::plan {
namespace {

using tutti::v1::TrafficEntry;

constexpr char kExchange[] = "request_response";

class ExchangeCheck {
 public:
  ExchangeCheck(const TrafficEntry& entry, const Node& node, const std::string& path, ErrorList& errors)
      : entry_(entry), node_(node), path_(path), errors_(errors) {}

  void Run() const {
    CheckOtherKeys();
    CheckSizes();
    if (entry_.request_response().exchange() == tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE) CheckConnect();
    CheckDelay();
  }

 private:
  bool Has(const char* key) const { return Find(&node_, key) != nullptr; }
  const Position& Where(const char* key, const char* inner = nullptr) const {
    const Node* value = Find(&node_, key);
    if (value == nullptr) return node_.position;
    const Node* deeper = inner == nullptr ? nullptr : Find(value, inner);
    return deeper == nullptr ? value->position : deeper->position;
  }
  void Add(const char* key, const std::string& message) const {
    errors_.Add(Where(key), JoinPath(path_, key), message);
  }
  void AddInner(const char* key, const std::string& message) const {
    errors_.Add(Where(kExchange, key), JoinPath(JoinPath(path_, kExchange), key), message);
  }
  bool udp() const { return entry_.protocol() == tutti::v1::PROTOCOL_UDP; }

  void CheckOtherKeys() const {
    if (Has("message_size")) {
      Add("message_size",
          absl::StrCat("the sender sends requests: write ", kExchange, ": {request: ", "SIZE} instead"));
    }
    if (Has("read_size")) Add("read_size", absl::StrCat("has no meaning with ", kExchange, ": remove it"));
    if (Has("bytes")) {
      Add("bytes", absl::StrCat("is of one-way streams: remove it, or remove ", kExchange));
    }
    const std::string one_by_one = absl::StrCat("with ", kExchange, " each message is a call of its own: ");
    if (entry_.ways().send() > tutti::v1::SEND_WAY_WRITE) Add("send", one_by_one + "write send: write");
    if (entry_.ways().receive() > tutti::v1::RECEIVE_WAY_READ) {
      Add("receive", one_by_one + "write receive: read");
    }
    if (Has("batch")) Add("batch", one_by_one + "remove it");
    if (entry_.ways().discard()) {
      Add("discard", absl::StrCat("with ", kExchange, " what arrives is read: remove it"));
    }
    if (entry_.ways().receive_wait() == tutti::v1::RECEIVE_WAIT_POLL) {
      Add("receive_wait", absl::StrCat("both ends of ", kExchange, " block: remove it"));
    }
    if (entry_.threads() == tutti::v1::THREADS_PER_CPU) {
      Add("threads", absl::StrCat(kExchange, " has a thread for each stream, so that no other one is in its ",
                                  "latency: remove threads"));
    }
    if (entry_.pacing().keeper() == tutti::v1::Pacing::KEEPER_KERNEL) {
      Add("pacing", absl::StrCat("the kernel paces bytes, not transactions: write pacing: sleep or spin"));
    }
  }

  void CheckSizes() const {
    if (!udp()) return;
    for (const auto& [key, bytes] : {std::pair("request", entry_.request_response().request_bytes()),
                                     std::pair("response", entry_.request_response().response_bytes())}) {
      if (bytes < kDatagramHeaderBytes) {
        AddInner(key, absl::StrCat(FormatSize(bytes), " has no room for the ", kDatagramHeaderBytes,
                                   "-byte header that tells which request is answered: write at least ",
                                   kDatagramHeaderBytes, "B"));
      } else if (bytes > kLongestDatagramBytes) {
        AddInner(key, absl::StrCat(FormatSize(bytes), " is no UDP datagram: write at most ",
                                   kLongestDatagramBytes, "B (the largest payload over IPv4)"));
      }
    }
  }

  void CheckConnect() const {
    if (udp()) AddInner("connect", "is TCP's: remove it, or write protocol: tcp");
    if (entry_.request_response().outstanding() > 1) {
      AddInner("outstanding",
               "a connection carries one transaction: remove it, and for more at once raise streams");
    }
    if (Has("source_ports")) {
      Add("source_ports", "each transaction takes a new port, which the kernel chooses: remove it");
    }
  }

  // Small requests wait for the acknowledgement of the one before, which waits for the response's.
  void CheckDelay() const {
    if (udp() || entry_.request_response().outstanding() == 1 || entry_.has_nodelay()) return;
    errors_.Warn(
        Where(kExchange, "outstanding"), JoinPath(JoinPath(path_, kExchange), "outstanding"),
        "Nagle's algorithm may hold back all requests and responses but the first: write nodelay: true "
        "(or false, if that is what is to be measured)");
  }

  const TrafficEntry& entry_;
  const Node& node_;
  const std::string& path_;
  ErrorList& errors_;
};

}  // namespace

void CheckExchange(const TrafficEntry& entry, const Node& node, const std::string& path, ErrorList& errors) {
  if (entry.has_request_response()) ExchangeCheck(entry, node, path, errors).Run();
}

}  // namespace tutti::plan
