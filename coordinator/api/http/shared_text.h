// The texts of large events, made once for all who have to be sent them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "coordinator/api/http/unsent_bytes.h"
#include "coordinator/run/event_log.h"
#include "tutti/v1/service.pb.h"

namespace tutti::http {

struct SharedText {
  UnsentBytes::Share share;  // for the text; goes behind it
  std::string text;          // empty: the event is of a newer schema
};

// Keeps none itself: a text lives, and counts as unsent, as long as a stream has not sent it. Belongs to one
// thread.
class SharedTexts {
 public:
  // An event from this size on, as a message, is one of those: a plan of hundreds of cases, a result, an
  // interval of hundreds of streams.
  static constexpr size_t kLargeBytes = size_t{16} * 1024;

  explicit SharedTexts(std::shared_ptr<UnsentBytes> unsent) : unsent_(std::move(unsent)) {}

  // Unavailable where it would have to be made and there is no room for what clients do not read.
  absl::StatusOr<std::shared_ptr<const SharedText>> Of(const run::SharedEvent& event);

 private:
  const std::shared_ptr<UnsentBytes> unsent_;
  // By the event itself, not by what it says: those who watch a run are told the same one.
  std::map<std::weak_ptr<const tutti::v1::RunEvent>, std::weak_ptr<const SharedText>, std::owner_less<>>
      made_;
};

}  // namespace tutti::http
