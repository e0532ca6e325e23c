#include "worker/session/held_session.h"

namespace tutti::session {
namespace {

// These are of one connection, or worth nothing later.
bool IsOfItsConnection(const v1::WorkerMessage& message) {
  return message.has_hello() || message.has_clock_reply() || message.has_heartbeat() ||
         message.has_goodbye() || message.body_case() == v1::WorkerMessage::BODY_NOT_SET;
}

}  // namespace

void HeldSession::Begin(uint64_t id) {
  id_ = id;
  messages_ = Messages(kMaxMessages, kMaxBytes);
}

HeldSession::Fate HeldSession::Keep(v1::WorkerMessage& message) {
  if (!held() || IsOfItsConnection(message)) return Fate::kSend;
  if (message.has_progress() &&
      (messages_.kept().size() >= kMaxProgress || messages_.kept_bytes() >= kMaxProgressBytes)) {
    return Fate::kDrop;
  }
  return messages_.Number(message) ? Fate::kSend : Fate::kFull;
}

net::Arrival HeldSession::Receive(const v1::CoordinatorMessage& message) {
  if (!held()) return net::Arrival::kNew;
  if (!messages_.Acknowledge(message.received_sequence())) return net::Arrival::kGap;
  return message.sequence() == 0 ? net::Arrival::kNew : messages_.Accept(message.sequence());
}

bool HeldSession::Resume(const v1::Registered& registered) {
  if (!held() || !registered.resumed() || registered.session_id() != id_) return false;
  if (!messages_.CanGoOnAfter(registered.received_sequence())) return false;
  return messages_.Acknowledge(registered.received_sequence());
}

}  // namespace tutti::session
