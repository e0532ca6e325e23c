#include "coordinator/api/http/resume_point.h"

#include <optional>
#include <string>

#include "common/status/macros.h"

namespace tutti::http {

absl::StatusOr<uint64_t> ResumePoint(const Exchange& exchange) {
  TUTTI_ASSIGN_OR_RETURN(const std::optional<uint64_t> after, exchange.query.Number("after"));
  const std::string* last = exchange.request.Find("last-event-id");
  if (last == nullptr || last->empty()) return after.value_or(0);
  constexpr QueryKey kField{"Last-Event-ID", QueryKind::kNumber, ""};
  TUTTI_ASSIGN_OR_RETURN(const Query field, Query::Check({{kField.name, *last}}, {kField}));
  TUTTI_ASSIGN_OR_RETURN(const std::optional<uint64_t> number, field.Number(kField.name));
  return number.value_or(0);
}

}  // namespace tutti::http
