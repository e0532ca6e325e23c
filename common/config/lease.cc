#include "common/config/lease.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "common/units/units.h"

namespace tutti {
namespace {

// Several probes are due within it.
constexpr int64_t kLeastLeaseNs = 100'000'000;
constexpr int64_t kMostLeaseNs = 600'000'000'000;

}  // namespace

absl::StatusOr<int64_t> ParseLeaseNs(std::string_view text) {
  TUTTI_ASSIGN_OR_RETURN(const int64_t lease_ns, ParseDurationNs(text));
  if (lease_ns >= kLeastLeaseNs && lease_ns <= kMostLeaseNs) return lease_ns;
  return absl::InvalidArgumentError(absl::StrCat("\"", Printable(text), "\" is not within 100ms and 10m"));
}

}  // namespace tutti
