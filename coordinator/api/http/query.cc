#include "coordinator/api/http/query.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/status/printable.h"
#include "common/suggestion/suggestion.h"
#include "common/units/units.h"

namespace tutti::http {
namespace {

absl::Status Bad(std::string_view key, std::string_view value, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(Printable(key), "=", Printable(value), ": ", absl::string_view(what.data(), what.size())));
}

}  // namespace

absl::StatusOr<Query> Query::Check(Pairs pairs, const std::vector<QueryKey>& known) {
  std::set<std::string> seen;
  for (const auto& pair : pairs) {
    const std::string& key = pair.first;
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const QueryKey& each) { return key == each.name; });
    if (found == known.end()) {
      std::vector<std::string> names;
      names.reserve(known.size());
      for (const QueryKey& each : known) names.emplace_back(each.name);
      return absl::InvalidArgumentError(absl::StrCat("the query has no key \"", Printable(key), "\" here",
                                                     names.empty() ? "; it takes none" : "",
                                                     DidYouMean(key, names)));
    }
    if (!found->repeated && !seen.insert(key).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("the query has \"", key, "\" twice; it takes one value"));
    }
  }
  return Query(std::move(pairs));
}

const std::string* Query::Find(std::string_view key) const {
  for (const auto& [name, value] : pairs_) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::vector<std::string> Query::All(std::string_view key) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : pairs_) {
    if (name == key) values.push_back(value);
  }
  return values;
}

std::string Query::Text(std::string_view key) const {
  const std::string* value = Find(key);
  return value == nullptr ? "" : *value;
}

absl::StatusOr<bool> Query::Bool(std::string_view key) const {
  const std::string* value = Find(key);
  if (value == nullptr || *value == "false") return false;
  if (*value == "true") return true;
  return Bad(key, *value, "write true or false");
}

absl::StatusOr<std::optional<uint64_t>> Query::Number(std::string_view key) const {
  const std::string* value = Find(key);
  if (value == nullptr) return std::optional<uint64_t>();
  uint64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  if (error != std::errc() || stop != end) return Bad(key, *value, "write a whole number");
  return std::optional<uint64_t>(number);
}

absl::StatusOr<std::optional<int64_t>> Query::Instant(std::string_view key, int64_t now_unix_ns) const {
  const std::string* value = Find(key);
  if (value == nullptr) return std::optional<int64_t>();
  if (const absl::StatusOr<int64_t> ago_ns = ParseDurationNs(*value); ago_ns.ok()) {
    return std::optional<int64_t>(now_unix_ns - *ago_ns);
  }
  absl::Time instant;
  std::string why;
  // Without a zone the second form is taken as UTC.
  if (absl::ParseTime(absl::RFC3339_full, *value, &instant, &why) ||
      absl::ParseTime("%Y-%m-%d", *value, &instant, &why)) {
    return std::optional<int64_t>(absl::ToUnixNanos(instant));
  }
  return Bad(key, *value,
             "write 2026-11-30T14:05:00Z, 2026-11-30 (UTC) or how long ago, as in 24h; "
             "the + of a zone is %2B in a query");
}

absl::StatusOr<std::optional<int64_t>> Query::DurationNs(std::string_view key) const {
  const std::string* value = Find(key);
  if (value == nullptr) return std::optional<int64_t>();
  const absl::StatusOr<int64_t> parsed = ParseDurationNs(*value);
  if (!parsed.ok()) {
    const absl::string_view why = parsed.status().message();
    return Bad(key, *value, std::string_view(why.data(), why.size()));
  }
  return std::optional<int64_t>(*parsed);
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Query::Labels(std::string_view key) const {
  std::vector<std::pair<std::string, std::string>> labels;
  std::set<std::string> seen;
  for (const std::string& text : All(key)) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) return Bad(key, text, "write KEY=VALUE");
    std::string name = text.substr(0, equals);
    if (!seen.insert(name).second) return Bad(key, text, "the label is there twice");
    labels.emplace_back(std::move(name), text.substr(equals + 1));
  }
  return labels;
}

}  // namespace tutti::http
