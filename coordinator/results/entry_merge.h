// Merges the streams of one direction of one traffic entry, in one trial. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/results/loss.h"
#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// A direction of an entry, with its streams by id.
struct EntryView {
  std::string entry;
  bool reverse = false;
  std::vector<const StreamView*> streams;
  std::vector<const StreamLoss*> losses;  // of `streams`, in the same order
};

struct EntryMerge {
  tutti::v1::EntryResult result;
  std::vector<std::string> faults;  // the trial is suspect
  std::vector<std::string> warnings;
};

// In the plan's order of entries, forward before reverse; entries without streams are left out.
std::vector<EntryView> EntriesOf(const TrialView& trial, const std::vector<StreamLoss>& losses);

EntryMerge MergeEntry(const EntryView& entry, const TrialView& trial,
                      const std::vector<tutti::v1::MachineResult>& machines);

// Bytes per interval, summed over the ends; empty if one of them has no intervals.
std::vector<uint64_t> SumIntervals(const std::vector<const EndSeries*>& ends);

// Sum of what is known. A null end, or one without the counter, is a missing part.
tutti::v1::Total SumOf(const std::vector<const EndSeries*>& ends,
                       std::optional<uint64_t> EndSeries::*counter = &EndSeries::bytes);

}  // namespace tutti::results
