// What the streams of one entry did beside moving bytes: transactions and their latencies, and the completion
// of a fixed volume. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// `together`: the streams ran together at some time, so that their rates may be added. Latencies are merged
// by adding the streams' histograms. Without request/response nothing is set.
void SetTransactions(const std::vector<const StreamView*>& streams, const Grid& grid, bool together,
                     tutti::v1::EntryResult& result);

// Without a fixed volume nothing is set.
void SetCompletion(const std::vector<const StreamView*>& streams, tutti::v1::EntryResult& result);

// When the receiver had all of the stream's volume; nullopt: it has none, or it never had.
std::optional<int64_t> CompletedNs(const StreamView& stream);

// Contradictions in what a client reports: a histogram that cannot be one; more transactions than its server
// read requests; more time spent waiting than the window holds.
std::vector<std::string> ImpossibleTransactions(const TrialView& trial);

}  // namespace tutti::results
