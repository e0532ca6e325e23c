#include "worker/load/workloads.h"

#include <utility>

#include "worker/load/null_stream.h"
#include "worker/load/tcp_receiver.h"
#include "worker/load/tcp_sender.h"
#include "worker/load/udp_receiver.h"
#include "worker/load/udp_sender.h"

namespace tutti::load {
namespace {

template <typename Sender, typename Receiver>
std::unique_ptr<Stream> MakeEnd(StreamConfig config, const WindowGrid& grid) {
  if (config.side == Side::kSend) return std::make_unique<Sender>(std::move(config), grid);
  return std::make_unique<Receiver>(std::move(config), grid);
}

}  // namespace

std::unique_ptr<Stream> MakeStream(StreamConfig config, const WindowGrid& grid) {
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
