#include "coordinator/lab/lab_message.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/errno_status.h"

namespace tutti::lab {
namespace {

constexpr size_t kMaxMessageBytes = 16384;

std::string Field(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text.substr(0, kMaxMessageBytes / 4);
}

std::string String(absl::string_view view) { return std::string(view.data(), view.size()); }

}  // namespace

std::string Encode(const LabMessage& m) {
  std::string kind(1, static_cast<char>(m.kind));
  switch (m.kind) {
    case LabMessage::Kind::kFailed:
    case LabMessage::Kind::kForbidden:
      return absl::StrCat(kind, "\t", static_cast<int>(m.status.code()), "\t",
                          Field(String(m.status.message())));
    case LabMessage::Kind::kFacts:
      return absl::StrCat(kind, "\t", m.pid, "\t", Field(m.text), "\t", Field(m.log_dir));
    case LabMessage::Kind::kHost:
      return absl::StrCat(kind, "\t", m.host.pid, "\t", m.host.name, "\t", m.host.address, "\t",
                          m.host.address6, "\t", m.host.clock_offset_ns);
    case LabMessage::Kind::kDeath:
    case LabMessage::Kind::kStarted:
      return absl::StrCat(kind, "\t", Field(m.text));
    case LabMessage::Kind::kDetached:
    case LabMessage::Kind::kStop:
    case LabMessage::Kind::kDetach:
      return kind;
  }
  return kind;
}

absl::StatusOr<LabMessage> Decode(const std::string& bytes) {
  const std::vector<std::string> fields = absl::StrSplit(bytes, '\t');
  LabMessage m;
  bool good = fields[0].size() == 1;
  m.kind = static_cast<LabMessage::Kind>(good ? fields[0][0] : '?');
  int number = 0;
  switch (m.kind) {
    case LabMessage::Kind::kFailed:
    case LabMessage::Kind::kForbidden:
      good = fields.size() == 3 && absl::SimpleAtoi(fields[1], &number);
      if (good) m.status = absl::Status(static_cast<absl::StatusCode>(number), fields[2]);
      break;
    case LabMessage::Kind::kFacts:
      good = fields.size() == 4 && absl::SimpleAtoi(fields[1], &m.pid);
      if (good) m.text = fields[2], m.log_dir = fields[3];
      break;
    case LabMessage::Kind::kHost:
      good = fields.size() == 6 && absl::SimpleAtoi(fields[1], &m.host.pid) &&
             absl::SimpleAtoi(fields[5], &m.host.clock_offset_ns);
      if (good) m.host.name = fields[2], m.host.address = fields[3], m.host.address6 = fields[4];
      break;
    case LabMessage::Kind::kDeath:
    case LabMessage::Kind::kStarted:
      good = fields.size() == 2;
      if (good) m.text = fields[1];
      break;
    case LabMessage::Kind::kDetached:
    case LabMessage::Kind::kStop:
    case LabMessage::Kind::kDetach:
      good = fields.size() == 1;
      break;
    default:
      good = false;
  }
  if (!good) return absl::InvalidArgumentError(absl::StrCat("not a message of a lab: '", bytes, "'"));
  return m;
}

bool SendMessage(int fd, const LabMessage& message) {
  const std::string bytes = Encode(message);
  ssize_t sent = 0;
  do {
    sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

absl::StatusOr<std::optional<LabMessage>> ReceiveMessage(int fd, bool dont_wait) {
  std::array<char, kMaxMessageBytes> buffer;
  ssize_t received = 0;
  do {
    received = recv(fd, buffer.data(), buffer.size(), dont_wait ? MSG_DONTWAIT : 0);
  } while (received < 0 && errno == EINTR);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return absl::UnavailableError("nothing yet");
  if (received < 0 && errno != ECONNRESET) return ErrnoStatus(errno, "receive from the other end of the lab");
  if (received <= 0) return std::optional<LabMessage>();
  absl::StatusOr<LabMessage> message = Decode(std::string(buffer.data(), received));
  if (!message.ok()) return message.status();
  return std::optional<LabMessage>(*std::move(message));
}

}  // namespace tutti::lab
