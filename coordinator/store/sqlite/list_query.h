// The one query behind every list of runs, made of what is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "tutti/v1/store.pb.h"

namespace tutti::store {

struct ListQuery {
  std::string sql;  // gives the columns of ListColumn, newest run first, one row more than the page has
  std::vector<std::variant<int64_t, std::string>> values;  // of its parameters, in order
  uint32_t page_runs = 0;
};

// How far each column stands from the left.
enum ListColumn : int {
  kNumber,
  kRunId,
  kStatus,
  kExitCode,
  kPlanName,
  kUser,
  kSubmittedUnixNs,
  kStartedUnixNs,
  kFinishedUnixNs,
  kLab,
  kInsecure,
  kCases,
  kStoredBytes,
};

// Whatever is asked for, the rows come in the order of one index and the query ends with its page: nothing is
// sorted. The index is that of the label, else of the host's name, its fingerprint, its kernel, the plan, the
// status; where none is asked for, or few runs have what else is asked for (a pattern of kernels, say), the
// narrow rows of `runs` are gone through. InvalidArgument for a token that PageToken has not made. Pure.
absl::StatusOr<ListQuery> MakeListQuery(const tutti::v1::ListRunsRequest& request);

// The columns of ListColumn of the one run whose id is its parameter.
std::string RunQuery();

// For the page that begins behind the run of this number.
std::string PageToken(int64_t number);

}  // namespace tutti::store
