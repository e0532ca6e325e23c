#include "coordinator/api/http/http_server.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "common/log/log.h"
#include "common/status/macros.h"
#include "common/sync/control_priority.h"
#include "common/sync/executor.h"
#include "common/version/version.h"
#include "coordinator/api/http/acceptor.h"
#include "coordinator/api/http/connection.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/listening_socket.h"
#include "coordinator/api/http/one_by_one.h"
#include "coordinator/api/http/openapi.h"
#include "coordinator/api/http/response_head.h"
#include "coordinator/api/http/routes.h"
#include "coordinator/api/http/server_state.h"
#include "coordinator/api/http/shared_text.h"
#include "coordinator/api/http/unsent_bytes.h"

namespace tutti::http {
namespace {

absl::StatusOr<std::vector<net::Endpoint>> ReadEndpoints(const HttpOptions& options) {
  std::vector<net::Endpoint> endpoints;
  for (const std::string& text : options.listen) {
    TUTTI_ASSIGN_OR_RETURN(net::Endpoint endpoint, net::ParseEndpoint(text, kDefaultHttpPort));
    if (!endpoint.loopback && !options.insecure) {
      return absl::FailedPreconditionError(net::PlainTextRefusal(endpoint));
    }
    endpoints.push_back(std::move(endpoint));
  }
  if (endpoints.empty()) return absl::InvalidArgumentError("listen for HTTP: no address is given");
  return endpoints;
}

// What large answers took: glibc would keep most of it for later ones (malloc_trim(3), which only glibc has).
void GiveMemoryBack() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// On the thread of `work`, and once for those that go while it waits for its turn.
std::function<void()> ToGiveMemoryBack(std::shared_ptr<PostGate> work) {
  return [work = std::move(work), is_due = std::make_shared<std::atomic<bool>>(false)] {
    if (is_due->exchange(true)) return;
    work->Post([is_due] {
      is_due->store(false);
      GiveMemoryBack();
    });
  };
}

Context MakeContext(const HttpOptions& options, api::Operations& operations,
                    const std::shared_ptr<PostGate>& work, const std::atomic<bool>& ready) {
  const auto unsent = std::make_shared<UnsentBytes>(
      options.limits.unsent_bytes, options.limits.large_answer_bytes, ToGiveMemoryBack(work));
  return {operations,
          work,
          ready,
          options.metrics_page,
          OpenApiDocument(Routes(), kVersion),
          unsent,
          std::make_shared<OneByOne>(),
          std::make_shared<SharedTexts>(unsent)};
}

// Says no without a thought for the client's request, and with as much as its socket takes at once.
void TurnAway(int fd, size_t connections) {
  Response response = ErrorResponse(
      503, "unavailable", "there are " + std::to_string(connections) + " connections, which is the most");
  response.fields.emplace_back("Retry-After", "5");
  const std::string text = ResponseHead(response, false, time(nullptr)) + response.body;
  // What does not go out is lost, as the connection is.
  [[maybe_unused]] const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  close(fd);
}

}  // namespace

// The order of the members is that of their lives: what is below goes first.
class HttpServer::Core {
 public:
  Core(const HttpOptions& options, api::Operations& operations)
      : work_gate_(std::make_shared<PostGate>([this](PostGate::Task task) { work_.Post(std::move(task)); })),
        state_(options.limits, MakeContext(options, operations, work_gate_, ready_)),
        last_writes_(state_.io) {
    state_.loop = std::make_shared<PostGate>(
        [this](PostGate::Task task) { boost::asio::post(state_.io, std::move(task)); });
    work_.Post(&LeaveControlPriority);
  }

  absl::Status Listen(const std::vector<net::Endpoint>& endpoints) {
    for (const net::Endpoint& endpoint : endpoints) {
      TUTTI_ASSIGN_OR_RETURN(std::vector<ListeningSocket> sockets, ListeningSocket::Open(endpoint));
      for (ListeningSocket& socket : sockets) {
        if (&socket == &sockets.front()) bound_.push_back(socket.endpoint());
        acceptors_.push_back(std::make_unique<Acceptor>(
            state_.io, std::move(socket),
            [this](const ListeningSocket& from, int fd) { OnConnection(from, fd); }));
      }
    }
    return absl::OkStatus();
  }

  void Run() {
    for (const auto& acceptor : acceptors_) acceptor->Start();
    thread_ = std::thread([this] { Loop(); });
    pthread_setname_np(thread_.native_handle(), "http");
  }

  ~Core() {
    if (thread_.joinable()) {
      state_.loop->Post([this] { WindDown(); });
      thread_.join();
    }
    // Who still has a question open at Operations posts into nothing from here on.
    state_.loop->Close();
    work_gate_->Close();
  }

  std::atomic<bool> ready_{true};
  std::vector<net::Endpoint> bound_;

 private:
  void Loop() {
    LeaveControlPriority();  // events are rendered here
    while (true) {
      try {
        state_.io.run();
        return;
      } catch (const std::exception& error) {
        spdlog::error("HTTP: {}", error.what());
      }
    }
  }

  void OnConnection(const ListeningSocket& from, int fd) {
    if (state_.sessions.size() >= state_.limits.connections) return TurnAway(fd, state_.sessions.size());
    Socket socket(state_.io);
    ErrorCode error;
    socket.assign(boost::asio::generic::stream_protocol(from.family(), 0), fd, error);
    if (error) {
      spdlog::warn("HTTP on {}: a connection is dropped: {}", from.endpoint().target, error.message());
      close(fd);
      return;
    }
    const net::Endpoint& endpoint = from.endpoint();
    std::make_shared<Connection>(std::move(socket),
                                 SiteRule{endpoint.is_unix, endpoint.loopback, endpoint.host}, state_)
        ->Start();
  }

  void WindDown() {
    state_.winding_down = true;
    guard_.reset();
    for (const auto& acceptor : acceptors_) acceptor->Stop();
    state_.on_idle = [this] { last_writes_.cancel(); };
    // Answers come from other threads: the timer is what keeps the loop alive for them.
    last_writes_.expires_after(state_.limits.last_writes);
    last_writes_.async_wait([this](const ErrorCode&) { ForEachSession(&Session::Close); });
    ForEachSession(&Session::WindDown);
    if (state_.sessions.empty()) last_writes_.cancel();
  }

  void ForEachSession(void (Session::*act)()) {
    const std::vector<std::shared_ptr<Session>> sessions(state_.sessions.begin(), state_.sessions.end());
    for (const auto& session : sessions) (session.get()->*act)();
  }

  const std::shared_ptr<PostGate> work_gate_;
  ServerState state_;
  Timer last_writes_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{state_.io.get_executor()};
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::thread thread_;
  ThreadExecutor work_{"http-work"};
};

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpOptions& options,
                                                              api::Operations& operations) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<net::Endpoint> endpoints, ReadEndpoints(options));
  try {
    auto core = std::make_unique<Core>(options, operations);
    TUTTI_RETURN_IF_ERROR(core->Listen(endpoints));
    core->Run();
    return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
  } catch (const std::exception& error) {
    return absl::InternalError(std::string("the HTTP server cannot start: ") + error.what());
  }
}

void HttpServer::SetReady(bool ready) { core_->ready_ = ready; }

const std::vector<net::Endpoint>& HttpServer::bound() const { return core_->bound_; }

}  // namespace tutti::http
