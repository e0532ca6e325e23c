#include "coordinator/cli/obstacle_lines.h"

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"
#include "common/units/units.h"
#include "coordinator/cli/instant.h"

namespace tutti::cli {
namespace {

using tutti::v1::Obstacle;

std::string Since(const Obstacle& obstacle) {
  return obstacle.since_unix_ns() == 0 ? ""
                                       : absl::StrCat(" since ", FormatInstant(obstacle.since_unix_ns()));
}

std::string OtherRun(const Obstacle& obstacle) {
  return absl::StrCat(obstacle.run_id(), obstacle.user().empty() ? "" : " of ", obstacle.user());
}

std::string Left(const Obstacle& obstacle) {
  return obstacle.has_expected_left_ns() ? absl::StrCat(", ", FormatTimeLeft(obstacle.expected_left_ns()))
                                         : "";
}

std::string What(const Obstacle& obstacle) {
  switch (obstacle.kind()) {
    case Obstacle::KIND_BUSY:
      return absl::StrCat("runs ", OtherRun(obstacle), Since(obstacle), Left(obstacle));
    case Obstacle::KIND_NEXT:
      return absl::StrCat(OtherRun(obstacle), " was submitted earlier and waits for it", Since(obstacle),
                          Left(obstacle));
    case Obstacle::KIND_LOST:
      return absl::StrCat("is lost", Since(obstacle), obstacle.reason().empty() ? "" : ": ",
                          obstacle.reason(), "; the run will start without it and say so");
    default:
      return obstacle.reason().empty() ? "is not to be had" : obstacle.reason();
  }
}

}  // namespace

std::string RenderWhyNot(const std::string& run_id, const tutti::v1::WhyNotResponse& why) {
  if (why.obstacles().empty()) {
    return absl::StrCat("nothing keeps ", run_id, " from starting",
                        why.position() == 0 ? ": it does not wait\n" : ": it is about to\n");
  }
  std::string text = absl::StrCat(run_id, " waits in the queue at place ", why.position(), " for\n");
  for (const Obstacle& obstacle : why.obstacles()) {
    absl::StrAppend(&text, "  ", obstacle.host(), ": ", What(obstacle), "\n");
  }
  return PrintableLines(text);
}

}  // namespace tutti::cli
