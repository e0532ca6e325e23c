// From the edges that hosts report while a trial runs to its live intervals.
//
// Rates are sums over hosts of each host's bytes by its own actual time between the two edges. Pure; not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

class LiveMerger {
 public:
  // `ends` as they were prepared: edges have their counters in this order.
  LiveMerger(const tutti::v1::Case& plan_case, uint32_t repetition, const std::vector<tutti::v1::Flow>& flows,
             const std::map<std::string, std::vector<tutti::v1::StreamEnd>>& ends);

  // The intervals that this edge completes, in order: those whose two edges every host has reported, and
  // those that are two intervals behind the newest edge, with what is there. A rate to which a host has not
  // told its part is unset.
  std::vector<tutti::v1::LiveInterval> Add(const std::string& host, const tutti::v1::EdgeSample& edge);

 private:
  using EntryKey = std::pair<std::string, bool>;  // entry, reverse
  struct Sum {
    double bps = 0;
    double messages_per_s = 0;
    uint64_t retransmits = 0;
    bool retransmits_known = true;  // not read at every edge of a host with very many streams
    bool known = true;
  };
  struct Kind {
    bool exchanges = false;        // request/response: the clients' messages are transactions
    bool has_retransmits = false;  // TCP, with TCP_INFO that is the stream's
  };
  struct HostState {
    std::vector<tutti::v1::StreamEnd> ends;
    std::map<uint32_t, tutti::v1::EdgeSample> edges;  // by index, from the next interval's first on
  };
  bool IsComplete(uint32_t interval) const;
  tutti::v1::LiveInterval Merge(uint32_t interval) const;
  void AddHost(const HostState& host, uint32_t interval, std::map<EntryKey, Sum>& sent,
               std::map<EntryKey, Sum>& received) const;

  const uint32_t case_index_;
  const uint32_t repetition_;
  const tutti::v1::Timing timing_;
  uint32_t intervals_ = 0;
  std::vector<EntryKey> entries_;  // in the order of the flows
  std::map<uint32_t, EntryKey> entry_of_stream_;
  std::map<EntryKey, Kind> kinds_;
  std::map<std::string, HostState> hosts_;
  uint32_t next_ = 0;         // interval to be told next
  uint32_t newest_edge_ = 0;  // of any host
};

}  // namespace tutti::run
