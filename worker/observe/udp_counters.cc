#include "worker/observe/udp_counters.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/observe/proc_text.h"

namespace tutti::observe {
namespace {

using Counters = std::map<std::string, uint64_t>;

// snmp: a line of names, then a line of values, both beginning with "Udp:".
absl::StatusOr<Counters> ParseSnmp(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& line : Lines(text)) {
    if (line.rfind("Udp: ", 0) != 0) continue;
    std::vector<std::string> words = Words(line);
    if (names.empty()) {
      names = std::move(words);
      continue;
    }
    if (words.size() != names.size()) break;
    Counters counters;
    for (size_t i = 1; i < words.size(); ++i) {
      const std::optional<uint64_t> count = ParseCounter(words[i]);
      if (!count) {
        return absl::InvalidArgumentError(absl::StrCat("/proc/net/snmp: Udp ", names[i], " is ", words[i]));
      }
      counters[names[i]] = *count;
    }
    return counters;
  }
  return absl::InvalidArgumentError("/proc/net/snmp: no Udp counters");
}

// snmp6: one "Udp6Name value" per line.
absl::StatusOr<Counters> ParseSnmp6(std::string_view text) {
  Counters counters;
  for (const std::string& line : Lines(text)) {
    if (line.rfind("Udp6", 0) != 0) continue;
    const std::vector<std::string> words = Words(line);
    const std::optional<uint64_t> count = words.size() == 2 ? ParseCounter(words[1]) : std::nullopt;
    if (!count) {
      return absl::InvalidArgumentError(absl::StrCat("/proc/net/snmp6: \"", line, "\" is not a counter"));
    }
    counters[words[0].substr(4)] = *count;
  }
  return counters;
}

absl::Status Add(const Counters& counters, const char* file, v1::UdpCounters* sum) {
  for (const char* name : {"InDatagrams", "OutDatagrams", "RcvbufErrors", "InErrors"}) {
    if (counters.count(name) == 0)
      return absl::InvalidArgumentError(absl::StrCat(file, ": no Udp counter ", name));
  }
  sum->set_in_datagrams(sum->in_datagrams() + counters.at("InDatagrams"));
  sum->set_out_datagrams(sum->out_datagrams() + counters.at("OutDatagrams"));
  sum->set_rcvbuf_errors(sum->rcvbuf_errors() + counters.at("RcvbufErrors"));
  sum->set_in_errors(sum->in_errors() + counters.at("InErrors"));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::UdpCounters> ParseUdpCounters(std::string_view snmp, std::string_view snmp6) {
  v1::UdpCounters sum;
  TUTTI_ASSIGN_OR_RETURN(const Counters v4, ParseSnmp(snmp));
  TUTTI_RETURN_IF_ERROR(Add(v4, "/proc/net/snmp", &sum));
  if (snmp6.empty()) return sum;
  TUTTI_ASSIGN_OR_RETURN(const Counters v6, ParseSnmp6(snmp6));
  TUTTI_RETURN_IF_ERROR(Add(v6, "/proc/net/snmp6", &sum));
  return sum;
}

absl::StatusOr<std::unique_ptr<UdpCounterReader>> UdpCounterReader::Open(const std::string& proc_root) {
  TUTTI_ASSIGN_OR_RETURN(FileReader snmp, FileReader::Open(absl::StrCat(proc_root, "/thread-self/net/snmp")));
  auto snmp6 = FileReader::Open(absl::StrCat(proc_root, "/thread-self/net/snmp6"));
  return std::unique_ptr<UdpCounterReader>(new UdpCounterReader(
      std::move(snmp), snmp6.ok() ? std::optional<FileReader>(std::move(*snmp6)) : std::nullopt));
}

absl::StatusOr<v1::UdpCounters> UdpCounterReader::Read() const {
  std::string snmp;
  std::string snmp6;
  TUTTI_RETURN_IF_ERROR(snmp_.Read(&snmp));
  if (snmp6_) TUTTI_RETURN_IF_ERROR(snmp6_->Read(&snmp6));
  return ParseUdpCounters(snmp, snmp6);
}

}  // namespace tutti::observe
