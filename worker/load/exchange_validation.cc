#include "worker/load/exchange_validation.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"
#include "worker/load/udp_header.h"

namespace tutti::load {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;
constexpr uint32_t kMostOutstanding = 65'536;

absl::Status Invalid(const StreamConfig& config, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("stream ", config.stream_id, ": ", what));
}

}  // namespace

absl::Status ValidateExchange(const StreamConfig& config) {
  const RequestResponse& exchange = config.request_response;
  if (exchange.exchange == Exchange::kNone) return absl::OkStatus();
  if (config.protocol == Protocol::kNull) return Invalid(config, "request/response needs tcp or udp");
  const bool udp = config.protocol == Protocol::kUdp;
  if (udp && exchange.exchange == Exchange::kConnectRequestResponse) {
    return Invalid(config, "a connection for each transaction needs tcp");
  }
  const uint64_t least = udp ? UdpHeader::kBytes : 1;
  const uint64_t most = udp ? kLongestDatagramBytes : kMostBytes;
  for (const auto& [name, bytes] :
       {std::pair("request", exchange.request_bytes), std::pair("response", exchange.response_bytes)}) {
    if (bytes >= least && bytes <= most) continue;
    return Invalid(config, absl::StrCat(name, " of ", bytes, "B: it must be ", least, "B to ", most, "B"));
  }
  if (config.message_size_bytes != exchange.request_bytes) {
    return Invalid(config, absl::StrCat("message size ", config.message_size_bytes, "B is not the request's ",
                                        exchange.request_bytes, "B"));
  }
  if (exchange.outstanding == 0 || exchange.outstanding > kMostOutstanding) {
    return Invalid(
        config, absl::StrCat(exchange.outstanding, " requests at once: it must be 1 to ", kMostOutstanding));
  }
  return absl::OkStatus();
}

}  // namespace tutti::load
