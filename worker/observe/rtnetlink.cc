#include "worker/observe/rtnetlink.h"

#include <errno.h>
#include <libmnl/libmnl.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::observe {
namespace {

// The kernel fills dumps up to 32 KiB if the reader takes that much (netlink_dump in
// net/netlink/af_netlink.c).
constexpr size_t kBufferBytes = 32 << 10;
constexpr int kAttempts = 5;

struct SocketCloser {
  void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
};
using Socket = std::unique_ptr<mnl_socket, SocketCloser>;

int OnMessage(const nlmsghdr* header, void* data) {
  (*static_cast<const std::function<void(const nlmsghdr*)>*>(data))(header);
  return MNL_CB_OK;
}

int OnAttribute(const nlattr* attribute, void* data) {
  (*static_cast<const std::function<void(const nlattr*)>*>(data))(attribute);
  return MNL_CB_OK;
}

template <typename Function>
void* AsData(const Function& function) {
  return const_cast<Function*>(&function);
}

// 0, or the errno with which the exchange failed.
int Exchange(const RtnetlinkBuilder& build, const std::function<void(const nlmsghdr*)>& on_message) {
  Socket socket(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
  if (!socket || mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) return errno;
  std::vector<char> buffer(kBufferBytes);
  nlmsghdr* request = build(buffer.data());
  static std::atomic<uint32_t> next_sequence{1};
  const uint32_t sequence = next_sequence++;
  request->nlmsg_seq = sequence;
  if (mnl_socket_sendto(socket.get(), request, request->nlmsg_len) < 0) return errno;
  const uint32_t port = mnl_socket_get_portid(socket.get());
  while (true) {
    const ssize_t got = mnl_socket_recvfrom(socket.get(), buffer.data(), buffer.size());
    if (got < 0) return errno;
    const int state =
        mnl_cb_run(buffer.data(), static_cast<size_t>(got), sequence, port, OnMessage, AsData(on_message));
    if (state < 0) return errno;
    if (state == MNL_CB_STOP) return 0;
  }
}

}  // namespace

absl::Status RtnetlinkRequest(std::string_view what, const RtnetlinkBuilder& build,
                              const std::function<void(const nlmsghdr*)>& on_message,
                              const std::function<void()>& on_restart) {
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    error = Exchange(build, on_message);
    if (error == 0) return absl::OkStatus();
    // mnl_cb_run reports NLM_F_DUMP_INTR as EINTR.
    if (error != EINTR) break;
    on_restart();
  }
  return ErrnoStatus(error, absl::StrCat("rtnetlink, ", std::string(what)));
}

void ForEachAttribute(const nlmsghdr* header, size_t body_bytes,
                      const std::function<void(const nlattr*)>& on_attribute) {
  mnl_attr_parse(header, static_cast<unsigned>(body_bytes), OnAttribute, AsData(on_attribute));
}

void ForEachNested(const nlattr* parent, const std::function<void(const nlattr*)>& on_attribute) {
  mnl_attr_parse_nested(parent, OnAttribute, AsData(on_attribute));
}

}  // namespace tutti::observe
