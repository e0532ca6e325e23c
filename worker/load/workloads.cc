#include "worker/load/workloads.h"

#include <utility>

#include "worker/load/null_stream.h"
#include "worker/load/tcp_crr_client.h"
#include "worker/load/tcp_crr_server.h"
#include "worker/load/tcp_receiver.h"
#include "worker/load/tcp_rr_client.h"
#include "worker/load/tcp_rr_server.h"
#include "worker/load/tcp_sender.h"
#include "worker/load/udp_receiver.h"
#include "worker/load/udp_rr_client.h"
#include "worker/load/udp_rr_server.h"
#include "worker/load/udp_sender.h"

namespace tutti::load {
namespace {

template <typename Sender, typename Receiver>
std::unique_ptr<Stream> MakeEnd(StreamConfig config, const WindowGrid& grid) {
  if (config.side == Side::kSend) return std::make_unique<Sender>(std::move(config), grid);
  return std::make_unique<Receiver>(std::move(config), grid);
}

std::unique_ptr<Stream> MakeExchange(StreamConfig config, const WindowGrid& grid) {
  if (config.protocol == Protocol::kUdp) return MakeEnd<UdpRrClient, UdpRrServer>(std::move(config), grid);
  if (config.request_response.exchange == Exchange::kConnectRequestResponse) {
    return MakeEnd<TcpCrrClient, TcpCrrServer>(std::move(config), grid);
  }
  return MakeEnd<TcpRrClient, TcpRrServer>(std::move(config), grid);
}

}  // namespace

std::unique_ptr<Stream> MakeStream(StreamConfig config, const WindowGrid& grid) {
  if (config.request_response.exchange != Exchange::kNone) return MakeExchange(std::move(config), grid);
  switch (config.protocol) {
    case Protocol::kTcp:
      return MakeEnd<TcpSender, TcpReceiver>(std::move(config), grid);
    case Protocol::kUdp:
      return MakeEnd<UdpSender, UdpReceiver>(std::move(config), grid);
    case Protocol::kNull:
      break;
  }
  return MakeEnd<NullSender, NullReceiver>(std::move(config), grid);
}

}  // namespace tutti::load
