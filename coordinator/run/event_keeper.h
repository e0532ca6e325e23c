// Hands the events of a run to its journal, so that one sees later what happened when.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/sync/executor.h"
#include "coordinator/run/event_log.h"
#include "coordinator/run/run_journal.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

// What is kept of an event: when it happened and what the result does not say. nullopt for live intervals and
// phases, of which there are thousands and which the trials tell better. Pure.
std::optional<tutti::v1::RunEvent> KeptPart(const tutti::v1::RunEvent& event);

// Watches one run from its beginning on. Lives on the executor's thread. The events of one turn go to the
// journal together: that is one write for the end of a trial and the beginning of the next.
class EventKeeper final : public EventWatcher, public std::enable_shared_from_this<EventKeeper> {
 public:
  // Both outlive the watched log.
  EventKeeper(Executor& executor, RunJournal& journal) : executor_(executor), journal_(journal) {}

  void OnEvent(const SharedEvent& event) override;
  void OnEnd() override { HandOver(); }

 private:
  void HandOver();

  Executor& executor_;
  RunJournal& journal_;
  std::vector<tutti::v1::RunEvent> waiting_;
};

}  // namespace tutti::run
