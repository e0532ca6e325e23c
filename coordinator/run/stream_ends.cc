#include "coordinator/run/stream_ends.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::run {
namespace {

using tutti::v1::Flow;
using tutti::v1::StreamEnd;
using tutti::v1::TrafficEntry;

// `network` names a device unless it is a CIDR or an address.
bool NamesDevice(const std::string& network) {
  return !network.empty() && network.find_first_of("/:") == std::string::npos &&
         network.find_first_not_of("0123456789.") != std::string::npos;
}

// A link-local address means something only together with a device of the host that uses it.
std::string Scoped(const std::string& address, const std::string& own_device) {
  in6_addr parsed{};
  if (own_device.empty() || inet_pton(AF_INET6, address.c_str(), &parsed) != 1) return address;
  return IN6_IS_ADDR_LINKLOCAL(&parsed) ? address + "%" + own_device : address;
}

StreamEnd CommonEnd(const TrafficEntry& entry, const Flow& flow, uint64_t nonce) {
  StreamEnd end;
  end.set_stream_id(flow.stream_id());
  end.set_protocol(entry.protocol());
  end.set_message_size_bytes(entry.message_size_bytes());
  if (entry.has_read_size_bytes()) end.set_read_size_bytes(entry.read_size_bytes());
  end.set_nonce(nonce);
  if (entry.has_nodelay()) end.set_nodelay(entry.nodelay());
  end.set_congestion(entry.congestion());
  if (entry.has_mss_bytes()) end.set_mss_bytes(entry.mss_bytes());
  if (entry.has_dscp()) end.set_dscp(entry.dscp());
  end.set_best_effort(entry.best_effort());
  *end.mutable_ways() = entry.ways();
  if (entry.has_marks()) *end.mutable_marks() = entry.marks();
  end.set_threads(entry.threads());
  if (entry.has_request_response()) *end.mutable_request_response() = entry.request_response();
  if (entry.has_volume_bytes()) end.set_volume_bytes(entry.volume_bytes());
  return end;
}

StreamEnd SenderEnd(const TrafficEntry& entry, const Flow& flow, uint64_t nonce) {
  StreamEnd end = CommonEnd(entry, flow, nonce);
  end.set_side(tutti::v1::SIDE_SEND);
  end.set_local_address(Scoped(flow.from_address(), flow.from_device()));
  end.set_peer_address(Scoped(flow.to_address(), flow.from_device()));
  if (NamesDevice(entry.network())) end.set_device(flow.from_device());
  if (entry.has_send_buffer_bytes()) end.set_socket_buffer_bytes(entry.send_buffer_bytes());
  *end.mutable_cpus() = entry.sender_cpus();
  if (entry.has_rate_bps()) {
    end.set_rate_bps(entry.rate_bps());
    *end.mutable_pacing() = entry.pacing();
  }
  if (entry.has_source_ports()) *end.mutable_ports() = entry.source_ports();
  return end;
}

StreamEnd ReceiverEnd(const TrafficEntry& entry, const Flow& flow, uint64_t nonce) {
  StreamEnd end = CommonEnd(entry, flow, nonce);
  end.set_side(tutti::v1::SIDE_RECEIVE);
  end.set_local_address(Scoped(flow.to_address(), flow.to_device()));
  end.set_peer_address(Scoped(flow.from_address(), flow.to_device()));
  if (NamesDevice(entry.network())) end.set_device(flow.to_device());
  if (entry.has_receive_buffer_bytes()) end.set_socket_buffer_bytes(entry.receive_buffer_bytes());
  *end.mutable_cpus() = entry.receiver_cpus();
  if (entry.has_ports()) *end.mutable_ports() = entry.ports();
  return end;
}

}  // namespace

std::map<std::string, std::vector<StreamEnd>> MakeStreamEnds(const tutti::v1::Case& plan_case,
                                                             const std::vector<Flow>& flows,
                                                             const std::function<uint64_t()>& random) {
  std::map<std::string, const TrafficEntry*> entries;
  for (const TrafficEntry& entry : plan_case.traffic()) entries[entry.name()] = &entry;

  std::map<std::string, std::vector<StreamEnd>> ends;
  // Streams of one host with the same choice of CPUs take turns in it, whatever entry or side they are of.
  std::map<std::pair<std::string, std::string>, uint32_t> next_ordinal;
  const auto add = [&](const std::string& host, StreamEnd end) {
    end.set_cpu_ordinal(next_ordinal[{host, end.cpus().SerializeAsString()}]++);
    ends[host].push_back(std::move(end));
  };
  for (const Flow& flow : flows) {
    const TrafficEntry& entry = *entries.at(flow.entry());
    const uint64_t nonce = random();
    add(flow.from_host(), SenderEnd(entry, flow, nonce));
    add(flow.to_host(), ReceiverEnd(entry, flow, nonce));
  }
  return ends;
}

}  // namespace tutti::run
