#include "coordinator/api/http/shared_text.h"

#include "absl/status/status.h"
#include "coordinator/api/http/event_text.h"

namespace tutti::http {

absl::StatusOr<std::shared_ptr<const SharedText>> SharedTexts::Of(const run::SharedEvent& event) {
  std::erase_if(made_, [](const auto& each) { return each.second.expired(); });
  if (const auto made = made_.find(event); made != made_.end()) return made->second.lock();
  if (!unsent_->HasRoom()) {
    return absl::UnavailableError(NoRoomText(*unsent_) +
                                  "; connect again, with the last event's number as Last-Event-ID");
  }
  const auto text = std::make_shared<SharedText>();
  text->text = RunEventText(*event);
  text->share = unsent_->Add(text->text.size());
  made_[event] = text;
  return std::shared_ptr<const SharedText>(text);
}

}  // namespace tutti::http
