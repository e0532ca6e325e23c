#include "worker/observe/softnet.h"

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/observe/proc_text.h"

namespace tutti::observe {
namespace {

constexpr int kHexadecimal = 16;

// Of one kind of softirq, over all CPUs; nullopt if there is no such line or it holds something else.
std::optional<uint64_t> SumOfKind(std::string_view softirqs, const std::string& kind) {
  for (const std::string& line : Lines(softirqs)) {
    const std::vector<std::string> words = Words(line);
    if (words.empty() || words[0] != kind) continue;
    uint64_t sum = 0;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::optional<uint64_t> count = ParseCounter(words[i]);
      if (!count) return std::nullopt;
      sum += *count;
    }
    return sum;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<v1::SoftnetCounters> ParseSoftnet(std::string_view softnet_stat, std::string_view softirqs) {
  v1::SoftnetCounters sum;
  const std::vector<std::string> lines = Lines(softnet_stat);
  if (lines.empty()) return absl::InvalidArgumentError("/proc/net/softnet_stat: no line");
  for (const std::string& line : lines) {
    const std::vector<std::string> words = Words(line);
    std::optional<uint64_t> columns[3];
    for (size_t i = 0; i < 3 && i < words.size(); ++i) columns[i] = ParseCounter(words[i], kHexadecimal);
    if (!columns[0] || !columns[1] || !columns[2]) {
      return absl::InvalidArgumentError(
          absl::StrCat("/proc/net/softnet_stat: \"", line, "\" does not begin with three counters"));
    }
    sum.set_processed(sum.processed() + *columns[0]);
    sum.set_dropped(sum.dropped() + *columns[1]);
    sum.set_time_squeeze(sum.time_squeeze() + *columns[2]);
  }
  const std::optional<uint64_t> net_rx = SumOfKind(softirqs, "NET_RX:");
  const std::optional<uint64_t> net_tx = SumOfKind(softirqs, "NET_TX:");
  if (!net_rx || !net_tx) return absl::InvalidArgumentError("/proc/softirqs: no NET_RX or NET_TX counters");
  sum.set_net_rx(*net_rx);
  sum.set_net_tx(*net_tx);
  return sum;
}

absl::StatusOr<std::unique_ptr<SoftnetReader>> SoftnetReader::Open(const std::string& proc_root) {
  TUTTI_ASSIGN_OR_RETURN(FileReader softnet_stat,
                         FileReader::Open(absl::StrCat(proc_root, "/thread-self/net/softnet_stat")));
  TUTTI_ASSIGN_OR_RETURN(FileReader softirqs, FileReader::Open(absl::StrCat(proc_root, "/softirqs")));
  return std::unique_ptr<SoftnetReader>(new SoftnetReader(std::move(softnet_stat), std::move(softirqs)));
}

absl::StatusOr<v1::SoftnetCounters> SoftnetReader::Read() const {
  std::string softnet_stat;
  std::string softirqs;
  TUTTI_RETURN_IF_ERROR(softnet_stat_.Read(&softnet_stat));
  TUTTI_RETURN_IF_ERROR(softirqs_.Read(&softirqs));
  return ParseSoftnet(softnet_stat, softirqs);
}

}  // namespace tutti::observe
