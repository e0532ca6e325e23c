// CPU of the machines of a trial, and of the roles of its entries. A machine is one kernel: workers that
// share it share one reading, which is counted once and never divided between roles, entries or directions.
// Pure; thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// The reading of a machine comes from its first host, by name, that has every edge; else from the first one
// that has both ends of the window. A machine without such a host is absent, and so is one whose readings
// cannot be true (CpuOver), about which there is a sentence in `warnings`.
std::vector<tutti::v1::MachineResult> ReadMachines(const TrialView& trial,
                                                   std::vector<std::string>& warnings);

// A sentence for each machine whose CPU figures contain work of before the case. The background is never
// subtracted: nobody knows whether that work went on.
std::vector<std::string> BackgroundWarnings(const std::vector<tutti::v1::MachineResult>& machines);

// The host whose readings stand for its machine; null if there is none.
const HostSeries* MachineReader(const TrialView& trial, const std::string& machine);

struct EntryCpu {
  tutti::v1::CpuUse sender;
  tutti::v1::CpuUse receiver;
  bool shared = false;          // both sides have a machine in common
  tutti::v1::CpuUse both_ends;  // if shared: all machines of both sides
};

// One direction of one entry with what it moved; rates are payload bits per second, unset: not known.
struct EntryFlow {
  std::string entry;
  bool reverse = false;
  std::optional<double> sent_bps;
  std::optional<double> received_bps;
  bool exchanges = false;  // request/response
  std::optional<double> transactions_per_s;
};

// Service demand = CPU time / data, in us/KB, KB = 1024 bytes (netperf, src/netcpu_*.c and nettest_bsd.c):
// cores busy x 1e6 / KB per second, so that it does not matter that CPU and byte counters are read a little
// apart. Senders: per KB accepted by the kernel; receivers and both ends: per KB received. Null with a note
// where a machine of the side also holds another role, another entry or the reverse direction.
// Request/response has CPU time per transaction instead, as netperf's RR tests, and under the same
// conditions.
EntryCpu CpuOfEntry(const EntryFlow& flow, const TrialView& trial,
                    const std::vector<tutti::v1::MachineResult>& machines);

}  // namespace tutti::results
