#include "coordinator/report/way_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

std::string PerCall(const v1::StreamReport& report, uint64_t amount) {
  return ThreeDigits(static_cast<double>(amount) / static_cast<double>(report.calls()));
}

std::string CopiedText(const v1::StreamReport& sender) {
  if (!sender.has_zerocopy_completions()) return "";
  if (sender.zerocopy_completions() == 0) return ", no call completed";
  return absl::StrCat(", of ", sender.zerocopy_completions(), " completed calls the kernel copied ",
                      FormatPercent(static_cast<double>(sender.zerocopy_copied()) /
                                    static_cast<double>(sender.zerocopy_completions())),
                      " all the same");
}

}  // namespace

std::string SendWayText(const v1::StreamReport& sender) {
  if (sender.ways().send() == v1::SEND_WAY_UNSPECIFIED) return "";
  std::string text = EnumName(sender.ways().send());
  if (sender.ways().batch() > 1) {
    absl::StrAppend(&text, ", up to ", sender.ways().batch(), " messages per call");
  }
  if (sender.calls() > 0 && !sender.has_latency()) {  // a client's messages are transactions
    absl::StrAppend(&text, ", ", PerCall(sender, sender.total_messages()),
                    sender.ways().batch() > 1 ? " on average" : " messages per call");
  }
  return text + CopiedText(sender);
}

std::string ReceiveWayText(const v1::StreamReport& receiver) {
  const v1::Ways& ways = receiver.ways();
  if (ways.receive() == v1::RECEIVE_WAY_UNSPECIFIED) return "";
  std::string text = EnumName(ways.receive());
  const std::string size = FormatSize(receiver.read_size_bytes());
  if (ways.receive() == v1::RECEIVE_WAY_RECVMMSG) {
    absl::StrAppend(&text, ", up to ", ways.batch(), " x ", size, " per call");
  } else {
    absl::StrAppend(&text, ", up to ", size, " per call");
  }
  // A stream of bytes has no messages: each read counts as one.
  if (receiver.calls() > 0 && receiver.has_tcp()) {
    absl::StrAppend(&text, ", ", PerCall(receiver, receiver.total_bytes()), "B on average");
  } else if (receiver.calls() > 0) {
    absl::StrAppend(&text, ", ", PerCall(receiver, receiver.total_messages()), " messages on average");
  }
  if (ways.discard()) text += ", the payload discarded";
  if (ways.receive_wait() == v1::RECEIVE_WAIT_POLL) text += ", polls before it blocks";
  return text;
}

}  // namespace tutti::report
