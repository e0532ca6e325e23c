#include <string>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/language.h"

namespace tutti::plan {
namespace {

using tutti::v1::Pacing;
using tutti::v1::TrafficEntry;

// Every error is of one of these keys, where it is written.
class PacingCheck {
 public:
  PacingCheck(const TrafficEntry& entry, const Node& node, const std::string& path, ErrorList& errors)
      : entry_(entry), node_(node), path_(path), errors_(errors) {}

  void Check() const {
    if (!entry_.has_rate_bps()) return CheckWithoutRate();
    if (entry_.rate_bps() > kFastest) {
      Refuse("rate", absl::StrCat("is ", FormatRate(static_cast<double>(entry_.rate_bps())),
                                  " with messages of ", FormatSize(entry_.message_size_bytes()),
                                  ": write at most ", FormatRate(static_cast<double>(kFastest))));
    }
    if (entry_.pacing().keeper() == Pacing::KEEPER_KERNEL) CheckKernel();
    if (entry_.pacing().spin() && entry_.threads() == tutti::v1::THREADS_PER_CPU) {
      Refuse(
          "pacing",
          "spin would keep the thread from its other streams: write pacing: sleep, or threads: per_stream");
    }
  }

 private:
  void Refuse(const char* key, const std::string& why) const {
    const Node* value = Find(&node_, key);
    if (value == nullptr || value->broken) return;
    errors_.Add(value->position, JoinPath(path_, key), why);
  }

  void CheckWithoutRate() const {
    if (const Node* rate = Find(&node_, "rate"); rate != nullptr) return;  // it has an error of its own
    for (const char* key : {"catch_up", "burst", "pacing"}) {
      Refuse(key, absl::StrCat(key, " is of streams with a rate: add rate, or remove ", key));
    }
  }

  void CheckKernel() const {
    // net/ipv4/tcp_output.c paces by itself, net/ipv4/udp.c leaves it to the qdisc.
    if (entry_.protocol() == tutti::v1::PROTOCOL_UDP) {
      Refuse("pacing",
             "kernel paces tcp; udp only where the device has the qdisc fq, and elsewhere the kernel ignores "
             "the rate without a word: write pacing: sleep or spin");
    }
    for (const char* key : {"catch_up", "burst"}) {
      Refuse(key, absl::StrCat(key, " is not the kernel's to keep: remove it, or write pacing: sleep"));
    }
  }

  const TrafficEntry& entry_;
  const Node& node_;
  const std::string path_;
  ErrorList& errors_;
};

}  // namespace

void CheckPacing(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const Node& node = *traffic->items[static_cast<size_t>(i)];
    if (node.broken || node.kind != Node::Kind::kMap) continue;
    PacingCheck(plan_case.traffic(i), node, absl::StrCat("traffic[", i, "]"), errors).Check();
  }
}

}  // namespace tutti::plan
