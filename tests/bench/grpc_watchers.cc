// So many clients that watch one run by RunService.Watch, each on a connection of its own. Prints "watching"
// when each has had its first event, and when all calls have ended a line of JSON: how many watched, how many
// of them got every event (numbered from 1 without a gap, `ended` the last), and how many events the one with
// the fewest and the one with the most got. usage: grpc_watchers ADDRESS RUN COUNT
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/channels.h"
#include "common/net/endpoint.h"
#include "common/sync/thread_annotations.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti {
namespace {

constexpr std::chrono::minutes kTimeout{2};

// Of all watchers, how far they are. Thread-safe.
class Progress {
 public:
  explicit Progress(int watchers) : silent_(watchers), open_(watchers) {}

  void NoteFirstEvent() {
    MutexLock lock(mutex_);
    --silent_;
    changed_.NotifyAll();
  }
  void NoteEnd() {
    MutexLock lock(mutex_);
    --open_;
    changed_.NotifyAll();
  }

  // False: all calls have ended, and one of them without an event.
  bool WaitForFirstEvents() {
    MutexLock lock(mutex_);
    while (silent_ > 0 && open_ > 0) changed_.Wait(mutex_);
    return silent_ == 0;
  }
  void WaitForEnds() {
    MutexLock lock(mutex_);
    while (open_ > 0) changed_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int silent_ TUTTI_GUARDED_BY(mutex_);
  int open_ TUTTI_GUARDED_BY(mutex_);
};

// One call. What it has seen is read after its end only.
class Watcher final : public grpc::ClientReadReactor<tutti::v1::RunEvent> {
 public:
  Watcher(const std::shared_ptr<grpc::Channel>& channel, const std::string& run_id, Progress& progress)
      : stub_(tutti::v1::RunService::NewStub(channel)), progress_(progress) {
    request_.set_run_id(run_id);
    context_.set_deadline(std::chrono::system_clock::now() + kTimeout);
  }

  void Start() {
    stub_->async()->Watch(&context_, &request_, this);
    StartRead(&event_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;  // OnDone follows
    ++events_;
    gapless_ = gapless_ && !ended_ && event_.sequence() == events_;
    ended_ = event_.has_ended();
    if (events_ == 1) progress_.NoteFirstEvent();
    StartRead(&event_);
  }

  void OnDone(const grpc::Status& status) override {
    status_ = status;
    progress_.NoteEnd();
  }

  uint64_t events() const { return events_; }
  bool complete() const { return gapless_ && ended_ && status_.ok(); }
  const grpc::Status& status() const { return status_; }

 private:
  const std::unique_ptr<tutti::v1::RunService::Stub> stub_;
  Progress& progress_;
  grpc::ClientContext context_;
  tutti::v1::WatchRequest request_;
  tutti::v1::RunEvent event_;
  uint64_t events_ = 0;
  bool gapless_ = true;
  bool ended_ = false;
  grpc::Status status_;
};

int Watch(const std::string& address, const std::string& run_id, int count) {
  const absl::StatusOr<net::Endpoint> endpoint = net::ParseEndpoint(address);
  if (!endpoint.ok()) {
    std::fprintf(stderr, "grpc_watchers: %s\n", std::string(endpoint.status().message()).c_str());
    return 2;
  }
  Progress progress(count);
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < count; ++i) {
    const absl::StatusOr<std::shared_ptr<grpc::Channel>> channel =
        net::MakeChannel(*endpoint, {.insecure = true});
    if (!channel.ok()) {
      std::fprintf(stderr, "grpc_watchers: %s\n", std::string(channel.status().message()).c_str());
      return 1;
    }
    watchers.push_back(std::make_unique<Watcher>(*channel, run_id, progress));
  }
  for (const std::unique_ptr<Watcher>& watcher : watchers) watcher->Start();
  if (progress.WaitForFirstEvents()) {
    std::printf("watching\n");
    std::fflush(stdout);
  }
  progress.WaitForEnds();
  uint64_t least = watchers.front()->events();
  uint64_t most = 0;
  int complete = 0;
  for (const std::unique_ptr<Watcher>& watcher : watchers) {
    least = std::min(least, watcher->events());
    most = std::max(most, watcher->events());
    complete += watcher->complete() ? 1 : 0;
    if (!watcher->status().ok()) {
      std::fprintf(stderr, "grpc_watchers: a call ended: %s\n", watcher->status().error_message().c_str());
    }
  }
  std::printf("{\"watchers\": %d, \"complete\": %d, \"least_events\": %llu, \"most_events\": %llu}\n", count,
              complete, static_cast<unsigned long long>(least), static_cast<unsigned long long>(most));
  return 0;
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) {
  if (argc != 4 || std::atoi(argv[3]) < 1) {
    std::fprintf(stderr, "usage: grpc_watchers ADDRESS RUN COUNT\n");
    return 2;
  }
  return tutti::Watch(argv[1], argv[2], std::atoi(argv[3]));
}
