// What the text reports say of request/response and of fixed volumes. Pure.
#pragma once

#include <string>

#include "tutti/v1/result.pb.h"

namespace tutti::report {

inline bool Exchanges(const tutti::v1::Row& row) { return row.exchange() != tutti::v1::EXCHANGE_UNSPECIFIED; }

// "64213", "1.25": so many in a second, three digits at least.
std::string PerSecond(double per_s);
std::string PerSecond(bool present, const tutti::v1::Spread& spread);

// Of a trial: one line for each latency of its entries; empty where it has none.
std::string TransactionDetail(const tutti::v1::TrialResult& trial);
// "bulk: 8 of 8 streams complete, the median at 1.25s and the last at 1.4s after T0"; empty where no entry
// has a fixed volume.
std::string CompletionDetail(const tutti::v1::TrialResult& trial);

}  // namespace tutti::report
