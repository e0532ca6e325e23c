#include "coordinator/run/event_keeper.h"

#include <string>
#include <utility>

namespace tutti::run {

using tutti::v1::RunEvent;

std::optional<RunEvent> KeptPart(const RunEvent& event) {
  RunEvent kept;
  kept.set_run_id(event.run_id());
  kept.set_at_unix_ns(event.at_unix_ns());
  kept.set_sequence(event.sequence());
  switch (event.body_case()) {
    case RunEvent::kInterval:
    case RunEvent::kPhase:
    case RunEvent::BODY_NOT_SET:
      return std::nullopt;
    case RunEvent::kStarted:
      kept.mutable_started();
      return kept;
    case RunEvent::kCaseEnded:
      kept.mutable_case_ended()->set_index(event.case_ended().index());
      kept.mutable_case_ended()->set_status(event.case_ended().status());
      *kept.mutable_case_ended()->mutable_reasons() = event.case_ended().reasons();
      return kept;
    case RunEvent::kEnded:
      kept.mutable_ended()->set_status(event.ended().status());
      kept.mutable_ended()->set_exit_code(event.ended().exit_code());
      *kept.mutable_ended()->mutable_reasons() = event.ended().reasons();
      return kept;
    default:
      return event;
  }
}

void EventKeeper::OnEvent(const SharedEvent& event) {
  std::optional<RunEvent> kept = KeptPart(*event);
  if (!kept.has_value()) return;
  waiting_.push_back(*std::move(kept));
  if (waiting_.size() > 1) return;
  // Unless the run is gone by then, and perhaps the journal.
  executor_.Post([keeper = weak_from_this()] {
    if (const std::shared_ptr<EventKeeper> self = keeper.lock()) self->HandOver();
  });
}

void EventKeeper::HandOver() {
  if (waiting_.empty()) return;
  const std::string run_id = waiting_.front().run_id();
  journal_.PutEvents(run_id, std::exchange(waiting_, {}));
}

}  // namespace tutti::run
