// What a person sees of a run while it goes on.
#pragma once

#include <iosfwd>

#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// A line for each event that has one, without what a terminal would act on. Not thread-safe.
class LiveView {
 public:
  // `out` outlives the object. `quiet`: only what the run waits for, without which the program would seem to
  // hang.
  LiveView(std::ostream& out, bool quiet) : out_(out), quiet_(quiet) {}

  void OnEvent(const tutti::v1::RunEvent& told);

 private:
  std::ostream& out_;
  const bool quiet_;
  tutti::v1::Result head_;  // of the run that has started
};

}  // namespace tutti::cli
