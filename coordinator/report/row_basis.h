// What stands behind a row of the table beyond its own figures. Pure; thread-safe.
#pragma once

#include "tutti/v1/result.pb.h"

namespace tutti::report {

// The row's rates, loss, retransmits and skew over the trials that were over a limit; for a case in which no
// trial counts. Unset where none has the figure.
tutti::v1::Row OverLimitRow(const tutti::v1::CaseResult& each, const tutti::v1::Row& row);

enum class Ends { kSenders, kReceivers, kBoth };
// One of the machines of the row's streams was busy before the case: its CPU figures contain that work.
bool WasBusyBefore(const tutti::v1::CaseResult& each, const tutti::v1::Row& row, Ends ends);

}  // namespace tutti::report
