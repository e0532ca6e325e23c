#include "coordinator/cli/live_view.h"

#include <ostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/units/units.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// "run-7: 8 cases on host1, host2, about 1m52s"
std::string Announcement(const tutti::v1::Result& head) {
  const int cases = head.plan().cases_size();
  return absl::StrCat(
      head.run_id(), ": ", cases, cases == 1 ? " case" : " cases", " on ",
      absl::StrJoin(head.hosts(), ", ",
                    [](std::string* out, const tutti::v1::Host& host) { out->append(host.name()); }),
      ", about ", FormatDuration(head.expected_duration_ns()), "\n");
}

}  // namespace

void LiveView::OnEvent(const tutti::v1::RunEvent& told) {
  tutti::v1::RunEvent event = told;
  MakePrintable(event);
  if (event.has_started()) {
    head_ = event.started().head();
    if (!quiet_) out_ << Announcement(head_);
  }
  if (quiet_ && !event.has_queued()) return;
  out_ << report::RenderLiveEvent(event, head_, report::Style{.color = false}) << std::flush;
}

}  // namespace tutti::cli
