// What of a run cannot be read, as reasons of its result: the rest of the run is told all the same.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tutti/v1/result.pb.h"

namespace tutti::store {

// Of one reading of one run; one thread at a time.
class Damage {
 public:
  // OK where `read` is DataLoss, which is noted as that of `what`; else `read`.
  // `consequence` ends the note.
  absl::Status Note(const std::string& what, const absl::Status& read, const std::string& consequence = "");

  bool any() const { return pieces_ > 0; }

  // Each note that is not there yet: a run that was closed with them has some already. Call it once, at the
  // end.
  void AddTo(tutti::v1::Result& result);

 private:
  std::vector<std::string> notes_;
  int pieces_ = 0;
};

}  // namespace tutti::store
