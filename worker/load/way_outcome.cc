#include "worker/load/way_outcome.h"

#include "absl/strings/str_cat.h"
#include "worker/load/socket_options.h"

namespace tutti::load {

const char* NameOf(SendWay way) {
  switch (way) {
    case SendWay::kSendmmsg:
      return "sendmmsg";
    case SendWay::kGso:
      return "gso";
    case SendWay::kSendfile:
      return "sendfile";
    case SendWay::kZerocopy:
      return "zerocopy";
    case SendWay::kWrite:
      break;
  }
  return "write";
}

const char* NameOf(ReceiveWay way) {
  switch (way) {
    case ReceiveWay::kRecvmmsg:
      return "recvmmsg";
    case ReceiveWay::kGro:
      return "gro";
    case ReceiveWay::kRead:
      break;
  }
  return "read";
}

absl::Status FallBack(const StreamConfig& config, const std::string& name, const std::string& asked,
                      const std::string& taken, const absl::Status& reason,
                      std::vector<OptionOutcome>& outcomes) {
  if (!config.best_effort) return reason;
  OptionOutcome* outcome = FindOutcome(outcomes, name.c_str());
  if (outcome == nullptr) {
    outcome = &outcomes.emplace_back();
    outcome->name = name;
    outcome->asked = asked;
  }
  outcome->applied = false;
  outcome->got = taken;
  outcome->note = absl::StrCat(std::string(reason.message()), "; ", taken, " in the place of ", asked);
  return absl::OkStatus();
}

}  // namespace tutti::load
