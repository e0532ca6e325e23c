// A trial as raw events, and the reports that honest hosts would make of them. The tests' oracles sum over
// the events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coordinator/results/merge.h"
#include "tests/nanoseconds.h"

namespace tutti::results {

enum class Fate { kInOrder, kReordered, kLate, kLost };

struct RawMessage {
  int64_t sent_ns = 0;  // trial time
  int64_t received_ns = 0;
  Fate fate = Fate::kInOrder;
  uint64_t duplicates = 0;
};

struct RawStream {
  tutti::v1::Flow flow;
  std::vector<RawMessage> messages;
};

struct RawHost {
  std::string name;
  std::string machine;
  int64_t late_ns = 0;       // of every edge
  int64_t half_read_ns = 0;  // of every edge's reading
  bool missing = false;      // it sends no report; what it sent while the trial ran is still there
  uint32_t edges = ~0u;      // that are kept, from the first on
  std::vector<double> busy;  // of each CPU, 0..1
  ClockMapping mapping;
};

struct RawTrial {
  // One entry "bulk" from role "sender" to role "receiver": UDP, 1000 B; 1 s of warm-up, 1 s in 4 intervals.
  RawTrial();

  tutti::v1::TrafficEntry& traffic(int index = 0) { return *plan_case.mutable_traffic(index); }
  RawHost& AddHost(const std::string& name, const std::string& machine);
  RawStream& AddStream(const std::string& from, const std::string& to, const std::string& entry = "bulk");
  // Messages from `begin_ns` on, each `every_ns`, arriving `delay_ns` later, until `end_ns`.
  static void Fill(RawStream& stream, int64_t begin_ns, int64_t end_ns, int64_t every_ns, int64_t delay_ns);
  // Two hosts on machines of their own, one stream from a to b with a message per ms from 0 to 2.5 s.
  static RawTrial Pair();

  TrialInput Build() const;
  tutti::v1::TrialResult Merge() const { return MergeTrial(Build()); }

  uint64_t MessageBytes(const RawStream& stream) const;
  // Plain sums over the events, between two instants of the trial: [begin, end) as counters at those instants
  // show it.
  uint64_t SentBytes(const RawStream& stream, int64_t begin_ns, int64_t end_ns) const;
  uint64_t ReceivedBytes(const RawStream& stream, int64_t begin_ns, int64_t end_ns) const;
  // By cohort: sent in the window.
  uint64_t CountSent(const RawStream& stream) const;
  uint64_t CountFate(const RawStream& stream, Fate fate) const;

  const RawHost& host(const std::string& name) const;
  // When the host read the edge.
  int64_t EdgeNs(const RawHost& host, uint32_t edge) const;
  uint32_t intervals() const;

  tutti::v1::Case plan_case;
  std::vector<RawHost> hosts;
  std::vector<RawStream> streams;
  std::map<std::string, std::vector<std::string>> roles;
  std::vector<tutti::v1::Host> all_hosts;
};

// The one entry of a result with one.
const tutti::v1::EntryResult& OnlyEntry(const tutti::v1::TrialResult& result);
// The host's report in `input`.
HostInput& FindInput(TrialInput& input, const std::string& host);

}  // namespace tutti::results
