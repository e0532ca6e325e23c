#include "absl/strings/str_cat.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {

void CheckThreads(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const tutti::v1::TrafficEntry& entry = plan_case.traffic(i);
    const Node& node = *traffic->items[static_cast<size_t>(i)];
    if (node.broken || node.kind != Node::Kind::kMap) continue;
    if (entry.threads() != tutti::v1::THREADS_PER_CPU) continue;
    const auto refuse = [&](const char* key, const std::string& why) {
      const Node* value = Find(&node, key);
      if (value != nullptr && !value->broken) {
        errors.Add(value->position, absl::StrCat("traffic[", i, "].", key), why);
      }
    };
    const bool zerocopy = entry.ways().send() == tutti::v1::SEND_WAY_ZEROCOPY;
    if (zerocopy || entry.ways().send() == tutti::v1::SEND_WAY_SENDFILE) {
      refuse("send", absl::StrCat(zerocopy ? "zerocopy" : "sendfile",
                                  " needs memory of each stream's own, which the streams of a thread per CPU "
                                  "share: write send: write, or threads: per_stream"));
    }
    if (entry.ways().receive_wait() == tutti::v1::RECEIVE_WAIT_POLL) {
      refuse("receive_wait",
             "a thread per CPU waits for all its streams together: remove it, or write threads: per_stream");
    }
    if (entry.has_volume_bytes()) {
      refuse("bytes", "is of streams with a thread each: remove it, or write threads: per_stream");
    }
  }
}

}  // namespace tutti::plan
