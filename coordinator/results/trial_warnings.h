// What a reader of a trial's figures has to know although none of them is wrong. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// Hosts that read their counters so late that intervals are longer or shorter than the grid's by more than a
// tenth: frozen or overloaded. The figures are over the true edges; the labels are the grid's.
std::vector<std::string> LateReadings(const TrialView& trial);

// Why the entry's figures are not of one window: a host read the window's edges too late, by more than a
// tenth of it in all. Empty: they are.
std::string DifferentWindows(const tutti::v1::EntryResult& entry);

// Entries with streams that sent less than 99% of their rate, and more than one burst less, with how late the
// worst of them was; and those that the kernel was to pace and that carried more than 101%.
std::vector<std::string> MissedRates(const TrialView& trial);

// Hosts to whose clock no datagram came through.
std::vector<std::string> SessionClocks(const TrialView& trial);

// Hosts that did not follow every new fit of their clocks, so that their bounds are wider.
std::vector<std::string> MissedFits(const TrialView& trial);

// What the streams themselves warn of (fragments, no loss detail), once for each entry.
std::vector<std::string> StreamWarnings(const TrialView& trial);

// A limit of the start that holds only if the skew's own bound is left out.
std::vector<std::string> UnprovenStarts(const tutti::v1::Limits& limits,
                                        const tutti::v1::TrialResult& result);

}  // namespace tutti::results
