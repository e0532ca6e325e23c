// Whether a trial's numbers can be true: checks on cumulative counts against each other and against witnesses
// (the kernel's own count, the NIC, the link's speed). Each finding is one sentence; none is found where a
// witness is absent. Pure; thread-safe.
//
// Every check allows for what it cannot know, so that a finding is a contradiction and not a coincidence.
#pragma once

#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"

namespace tutti::results {

// received(t) <= sent(t) + one send call, at every edge. The receiver's count of an edge is held against the
// sender's first count that was certainly read later (both hosts' clock bounds included); after the last
// edge, against its total. No assumption about the rate in between is needed.
std::vector<std::string> ReceivedBeforeSent(const TrialView& trial);

// After DRAIN: TCP received = sent exactly; UDP first arrivals <= sent and the cohorts add up to the total.
std::vector<std::string> UnequalAfterDrain(const TrialView& trial);

// TCP: the application has not read more than tcpi_bytes_received, and all of it after a normal end (which
// may count the FIN as one byte, net/ipv4/tcp_input.c).
std::vector<std::string> KernelCountDisagrees(const TrialView& trial);

// Over the whole trial a device carried at least the payload of the streams that used it.
std::vector<std::string> DeviceCountFallsShort(const TrialView& trial);

// Received payload in the window <= what the link's speed allows plus what receive buffers held; only where
// both ends' devices have hardware behind them.
std::vector<std::string> FasterThanLink(const TrialView& trial);

// The estimate after the trial lies within both bounds of the mapping that the trial used.
std::vector<std::string> ClockBoundBroken(const TrialView& trial);

// All of the above, and what transactions.h finds.
std::vector<std::string> CredibilityFindings(const TrialView& trial);

}  // namespace tutti::results
