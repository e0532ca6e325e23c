#include "coordinator/lab/host_labels.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "coordinator/lab/addressing.h"

namespace tutti::lab {
namespace {

constexpr char kOwnName[] = "host";

absl::Status Invalid(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("label \"", text, "\" ", why));
}

absl::Status Add(const std::string& text, HostLabels& labels) {
  const size_t colon = text.find(':');
  const size_t equals = colon == std::string::npos ? colon : text.find('=', colon);
  if (equals == std::string::npos || colon == 0 || equals == colon + 1) {
    return Invalid(text, "is not HOST:KEY=VALUE, as in host2:rack=a");
  }
  if (FindControlCharacter(text)) return Invalid(text, "has a control character: remove it");
  const std::string key = text.substr(colon + 1, equals - colon - 1);
  if (!labels[text.substr(0, colon)].emplace(key, text.substr(equals + 1)).second) {
    return Invalid(text, "sets the label a second time: give it once");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HostLabels> ParseHostLabels(const std::vector<std::string>& texts) {
  HostLabels labels;
  for (const std::string& text : texts) TUTTI_RETURN_IF_ERROR(Add(text, labels));
  TUTTI_RETURN_IF_ERROR(CheckHostLabels(labels, kMaxHosts));
  return labels;
}

absl::Status CheckHostLabels(const HostLabels& labels, int hosts) {
  std::set<std::string> names;
  for (int index = 1; index <= hosts; ++index) names.insert(HostName(index));
  for (const auto& [host, own] : labels) {
    if (names.count(host) > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("a label is for ", host, ", and the lab has ", HostName(1),
                     hosts > 1 ? absl::StrCat(" to ", HostName(hosts)) : " only"));
  }
  return absl::OkStatus();
}

std::map<std::string, std::string> LabelsOf(const HostLabels& labels, const std::string& host) {
  std::map<std::string, std::string> own = {{kOwnName, host}};
  const auto found = labels.find(host);
  if (found == labels.end()) return own;
  for (const auto& [key, value] : found->second) own[key] = value;
  return own;
}

}  // namespace tutti::lab
