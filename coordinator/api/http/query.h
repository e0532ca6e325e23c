// The query of a request, checked against the keys that its route knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::http {

enum class QueryKind { kText, kBool, kNumber, kInstant, kDuration };

struct QueryKey {
  const char* name;
  QueryKind kind;
  const char* caption;
  bool repeated = false;
};

// Readers are thread-safe. Errors are InvalidArgument and name the key.
class Query {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  Query() = default;
  // Refuses keys that are not among `known`, and a second value of those that take one.
  static absl::StatusOr<Query> Check(Pairs pairs, const std::vector<QueryKey>& known);

  bool empty() const { return pairs_.empty(); }
  // Null: it is not there.
  const std::string* Find(std::string_view key) const;
  std::vector<std::string> All(std::string_view key) const;
  // Empty where it is not there.
  std::string Text(std::string_view key) const;
  // "true" or "false"; false where it is not there.
  absl::StatusOr<bool> Bool(std::string_view key) const;
  absl::StatusOr<std::optional<uint64_t>> Number(std::string_view key) const;
  // "2026-11-30T14:05:00Z" (RFC 3339, with a zone), "2026-11-30" (its midnight in UTC) or "24h" (before
  // `now_unix_ns`); as ns since 1970.
  absl::StatusOr<std::optional<int64_t>> Instant(std::string_view key, int64_t now_unix_ns) const;
  absl::StatusOr<std::optional<int64_t>> DurationNs(std::string_view key) const;
  // Every "label=KEY=VALUE"; a key without a name and a repeated one are errors.
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Labels(std::string_view key) const;

 private:
  explicit Query(Pairs pairs) : pairs_(std::move(pairs)) {}

  Pairs pairs_;
};

}  // namespace tutti::http
