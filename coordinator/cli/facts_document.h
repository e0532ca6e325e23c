// The facts of a result's hosts, and how those of two results differ, as documents. Pure; thread-safe.
#pragma once

#include "coordinator/report/document.h"
#include "tutti/v1/result.pb.h"

namespace tutti::cli {

// {"hosts": [{"name", "machine", "facts"}]}
report::Document FactsDocument(const tutti::v1::Result& result);

// {"first": RUN, "second": RUN, "hosts": [{"name", "in_first", "in_second", "differences": [{"path", "first",
// "second", "first_reason", "second_reason", "in_fingerprint"}]}]}. A fact that is not known is null; the
// reasons are empty where the host gave none. `differences` is null for a host that only one of the results
// has.
report::Document FactDifferencesDocument(const tutti::v1::Result& first, const tutti::v1::Result& second);

}  // namespace tutti::cli
