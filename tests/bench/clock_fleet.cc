// What the clocks of many workers cost their coordinator: the real clock server and one real WorkerClock per
// worker, answered by one socket that plays all the workers. Prints the busy share of one core of the two
// threads that do the work, as JSON. usage: clock_fleet WORKERS SECONDS
#include <poll.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "common/net/stamped_socket.h"
#include "coordinator/fleet/clock_server.h"
#include "coordinator/fleet/worker_clock.h"

namespace tutti::fleet {
namespace {

// A session that is there and says nothing: what gRPC costs is not measured here.
class SilentLink final : public WorkerLink {
 public:
  void Send(tutti::v1::CoordinatorMessage) override {}
  void SendProbe(uint64_t) override {}
  void Close() override {}
  void Break() override {}
  std::string peer() const override { return "ipv4:127.0.0.1:1"; }
};

double CpuSecondsOfThreads(const char* name) {
  double seconds = 0;
  char command[256];
  std::snprintf(command, sizeof(command), "grep -lx '%s' /proc/%d/task/*/comm", name, getpid());
  FILE* found = popen(command, "r");
  char path[256];
  while (found != nullptr && std::fscanf(found, "%255s", path) == 1) {
    std::string folder(path);
    folder.resize(folder.size() - 4);
    FILE* stat = std::fopen((folder + "schedstat").c_str(), "r");
    unsigned long long run_ns = 0;
    if (stat != nullptr && std::fscanf(stat, "%llu", &run_ns) == 1)
      seconds += static_cast<double>(run_ns) / 1e9;
    if (stat != nullptr) std::fclose(stat);
  }
  if (found != nullptr) pclose(found);
  return seconds;
}

// Answers every probe as its worker would.
void PlayWorkers(net::StampedSocket& socket, const std::atomic<bool>& stop) {
  pthread_setname_np(pthread_self(), "players");
  RealtimeConversion conversion(SystemBracketReader::Get());
  struct Sent {
    uint64_t sequence = 0;
    HostTime at;
  };
  std::map<net::ClockToken, Sent> sent;
  uint8_t buffer[128];
  while (!stop) {
    conversion.Observe();
    pollfd wait{socket.fd(), POLLIN, 0};
    poll(&wait, 1, 100);
    while (socket.TakeSendStamp()) {
    }
    while (const auto received = socket.Receive(buffer)) {
      const auto probe = net::DecodeClockDatagram({buffer, received->bytes});
      if (!probe || !received->stamp) continue;
      conversion.Confirm();
      const auto arrived = conversion.Convert(*received->stamp);
      if (!arrived) continue;
      net::ClockDatagram reply{.kind = net::ClockDatagramKind::kReply, .token = probe->token};
      reply.sequence = probe->sequence;
      reply.has_received = true;
      reply.received = arrived->time;
      Sent& last = sent[probe->token];
      reply.has_sent = last.sequence != 0;
      reply.sent_sequence = last.sequence;
      reply.sent = last.at;
      last = {probe->sequence, SystemClock::Get().Now()};
      (void)socket.Send(net::EncodeClockDatagram(reply), received->path);
      if (!probe->wants_follow_up) continue;
      net::ClockDatagram follow_up{.kind = net::ClockDatagramKind::kFollowUp, .token = probe->token};
      follow_up.sequence = probe->sequence;
      follow_up.has_sent = true;
      follow_up.sent_sequence = probe->sequence;
      follow_up.sent = last.at;
      (void)socket.Send(net::EncodeClockDatagram(follow_up), received->path);
    }
  }
}

void Greet(net::StampedSocket& socket, const net::DatagramPath& path, const WorkerClock& clock) {
  net::ClockDatagram hello{.kind = net::ClockDatagramKind::kHello};
  const std::string token = clock.service()->token();
  std::copy(token.begin(), token.end(), hello.token.begin());
  (void)socket.Send(net::EncodeClockDatagram(hello), path);
}

int Run(int workers, int seconds) {
  ThreadExecutor executor("decisions");
  auto server =
      ClockServer::Start(executor, {net::ParseEndpoint("127.0.0.1:0").value()}, SystemBracketReader::Get())
          .value();
  const auto path = net::PathTo("127.0.0.1", static_cast<uint16_t>(server->ports().at(0))).value();
  net::StampedSocket socket = net::StampedSocket::BindFor(path).value();
  std::atomic<bool> stop = false;
  std::thread players([&] { PlayWorkers(socket, stop); });
  std::vector<std::unique_ptr<WorkerClock>> clocks;
  std::promise<void> made;
  executor.Post([&] {
    for (int i = 0; i < workers; ++i) {
      clocks.push_back(std::make_unique<WorkerClock>(executor, std::make_shared<SilentLink>(), ProbeOptions{},
                                                     server.get()));
      Greet(socket, path, *clocks.back());
      clocks.back()->Start();
    }
    made.set_value();
  });
  made.get_future().wait();
  // As workers do: so many hellos at once overflow a socket's buffer.
  for (int again = 0; again < 3; ++again) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    for (const auto& clock : clocks) Greet(socket, path, *clock);
  }
  const double begin_s = CpuSecondsOfThreads("decisions") + CpuSecondsOfThreads("clocks");
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const double used_s = CpuSecondsOfThreads("decisions") + CpuSecondsOfThreads("clocks") - begin_s;
  std::promise<int> known;
  executor.Post([&] {
    int measured = 0;
    for (const auto& clock : clocks) measured += clock->Source() == tutti::v1::CLOCK_SOURCE_PROGRAM ? 1 : 0;
    clocks.clear();
    server.reset();
    known.set_value(measured);
  });
  const int measured = known.get_future().get();
  stop = true;
  players.join();
  std::printf("{\"workers\": %d, \"measured\": %d, \"seconds\": %d, \"busy\": %.5f}\n", workers, measured,
              seconds, used_s / seconds);
  return 0;
}

}  // namespace
}  // namespace tutti::fleet

int main(int argc, char** argv) {
  if (argc != 3 || std::atoi(argv[1]) < 1 || std::atoi(argv[2]) < 1) {
    std::fprintf(stderr, "usage: clock_fleet WORKERS SECONDS\n");
    return 2;
  }
  return tutti::fleet::Run(std::atoi(argv[1]), std::atoi(argv[2]));
}
