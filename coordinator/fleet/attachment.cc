#include "coordinator/fleet/attachment.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::fleet {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::Hello;
using tutti::v1::WorkerMessage;

uint64_t NewSessionId() {
  std::random_device device;
  uint64_t id = 0;
  while (id == 0) id = (uint64_t{device()} << 32) | device();
  return id;
}

std::string InMs(int64_t ns) { return FormatDuration(std::max<int64_t>(ns, 0) / 1'000'000 * 1'000'000); }

}  // namespace

Attachment::Attachment(std::shared_ptr<WorkerLink> connection, bool resumable)
    : session_id_(resumable ? NewSessionId() : 0),
      connection_(std::move(connection)),
      peer_(connection_->peer()),
      messages_(kMaxMessages, kMaxBytes) {}

std::string Attachment::WhyOver(const std::string& connection_reason) const {
  if (goodbye_) return "the worker was stopped";
  if (overflowed_) return "it does not read: too many messages wait for it";
  return connection_reason;
}

std::string Attachment::DescribeAbsence(int64_t now_ns, int64_t until_ns) const {
  return absl::StrCat("its connection broke ", InMs(now_ns - away_since_ns_),
                      " ago, it may come back within ", InMs(until_ns - now_ns));
}

bool Attachment::Fits(const Hello& hello) const {
  return MayComeBack() && hello.session_id() == session_id_ && hello.attempt() > attempt_ &&
         messages_.CanGoOnAfter(hello.received_sequence());
}

void Attachment::Detach(const std::string& reason, int64_t now_ns) {
  connection_ = nullptr;
  away_reason_ = reason;
  away_since_ns_ = now_ns;
}

void Attachment::Resume(std::shared_ptr<WorkerLink> connection, const Hello& hello,
                        tutti::v1::Registered registered) {
  attempt_ = hello.attempt();
  messages_.Acknowledge(hello.received_sequence());
  const std::shared_ptr<WorkerLink> old = std::exchange(connection_, std::move(connection));
  if (old != nullptr) old->Break();
  peer_ = connection_->peer();
  told_received_ = messages_.received();
  registered.set_session_id(session_id_);
  registered.set_resumed(true);
  registered.set_received_sequence(told_received_);
  CoordinatorMessage answer;
  *answer.mutable_registered() = std::move(registered);
  connection_->Send(std::move(answer));
  for (const auto& kept : messages_.kept()) connection_->Send(kept.message);
}

net::Arrival Attachment::Receive(const WorkerMessage& message) {
  if (message.has_goodbye()) goodbye_ = true;
  if (session_id_ == 0) return net::Arrival::kNew;
  if (!messages_.Acknowledge(message.received_sequence())) return net::Arrival::kGap;
  if (message.sequence() == 0) return net::Arrival::kNew;
  const net::Arrival arrival = messages_.Accept(message.sequence());
  if (messages_.received() - told_received_ >= kAcknowledgeEach) Acknowledge();
  return arrival;
}

void Attachment::Acknowledge() {
  if (connection_ == nullptr) return;
  told_received_ = messages_.received();
  CoordinatorMessage message;
  message.set_received_sequence(told_received_);
  connection_->Send(std::move(message));
}

void Attachment::Send(CoordinatorMessage message) {
  if (overflowed_) return;
  if (session_id_ != 0 && !messages_.Number(message)) {
    overflowed_ = true;
    return Break();
  }
  if (connection_ != nullptr) connection_->Send(std::move(message));
}

void Attachment::SendProbe(uint64_t sequence) {
  if (connection_ == nullptr) return;
  if (messages_.received() != told_received_) Acknowledge();
  connection_->SendProbe(sequence);
}

void Attachment::Close() {
  if (connection_ != nullptr) connection_->Close();
}

void Attachment::Break() {
  if (connection_ != nullptr) connection_->Break();
}

}  // namespace tutti::fleet
