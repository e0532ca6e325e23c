#include "coordinator/fleet/drain_marks.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::fleet {
namespace {

using tutti::v1::DrainMark;

absl::Status CheckText(const char* what, std::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("the drain's ", what, " has ", text.size(),
                                                   " bytes, at most ", max_bytes, " are kept; shorten it"));
  }
  const bool clean =
      std::none_of(text.begin(), text.end(), [](unsigned char each) { return each < 0x20 || each == 0x7f; });
  if (clean) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the drain's ", what, " has control characters; write it in one line of text"));
}

}  // namespace

absl::Status CheckDrain(const tutti::v1::DrainWorkerRequest& request) {
  const absl::Status reason = CheckText("reason", request.reason(), kMaxDrainReasonBytes);
  return reason.ok() ? CheckText("user", request.user(), kMaxDrainUserBytes) : reason;
}

std::string DrainText(const DrainMark& mark) {
  return absl::StrCat("drained", mark.user().empty() ? "" : absl::StrCat(" by ", mark.user()),
                      mark.reason().empty() ? "" : absl::StrCat(": ", mark.reason()));
}

const DrainMark* DrainMarks::Find(const std::string& worker) const {
  const auto found = drains_.find(worker);
  return found == drains_.end() ? nullptr : &found->second;
}

bool DrainMarks::Put(const std::string& worker, DrainMark mark) {
  const auto [found, added] = drains_.try_emplace(worker, mark);
  if (added) return true;
  DrainMark& present = found->second;
  if (present.reason() == mark.reason() && present.user() == mark.user()) return false;
  mark.set_since_unix_ns(present.since_unix_ns());
  present = std::move(mark);
  return true;
}

bool DrainMarks::Remove(const std::string& worker) { return drains_.erase(worker) > 0; }

void DrainMarks::Keep(const std::string& worker, Done done) const {
  if (journal_ == nullptr) return done(absl::OkStatus());
  const DrainMark* mark = Find(worker);
  DrainJournal::Kept kept = [worker, drained = mark != nullptr,
                             done = std::move(done)](const absl::Status& status) {
    done(Annotate(status, absl::StrCat("worker \"", worker, "\" is ", drained ? "" : "not ",
                                       "drained, but only until this coordinator ends: it could not be "
                                       "written down; ask again once that is mended")));
  };
  if (mark != nullptr) {
    journal_->Put(worker, *mark, std::move(kept));
  } else {
    journal_->Remove(worker, std::move(kept));
  }
}

}  // namespace tutti::fleet
