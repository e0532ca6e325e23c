#include "coordinator/store/sqlite/damage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tutti::store {
namespace {

constexpr int kMostNotes = 20;

}  // namespace

absl::Status Damage::Note(const std::string& what, const absl::Status& read, const std::string& consequence) {
  if (!absl::IsDataLoss(read)) return read;
  if (++pieces_ <= kMostNotes) {
    notes_.push_back(
        absl::StrCat(what, " is damaged in the store and left out: ", read.message(), consequence));
  }
  return absl::OkStatus();
}

void Damage::AddTo(tutti::v1::Result& result) {
  if (pieces_ > kMostNotes) {
    notes_.push_back(absl::StrCat(pieces_ - kMostNotes, " further pieces of it are damaged too"));
  }
  for (const std::string& note : notes_) {
    const auto& reasons = result.reasons();
    if (std::find(reasons.begin(), reasons.end(), note) == reasons.end()) result.add_reasons(note);
  }
}

}  // namespace tutti::store
