// The reports of a trial, put in order: the grid of its window, each host's counters on it, both ends of each
// stream.
//
// A view points into its TrialInput, which must outlive it. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/results/merge.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/session.pb.h"
#include "tutti/v1/stream.pb.h"

namespace tutti::results {

// The absolute grid of the measure window, in trial time (since T0). Edge k is due at begin + k x interval,
// the last one at the window's end; interval k lies between the edges k and k + 1.
struct Grid {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t interval_ns = 0;
  uint32_t intervals = 0;

  int64_t DueNs(uint32_t edge) const;
  bool LastIsShorter() const;
};
Grid GridOf(const tutti::v1::Timing& timing);

// One end of one stream over the window. What is not known is unset: an edge is missing, the stream failed,
// or its counter stepped back.
struct EndSeries {
  uint32_t stream_id = 0;
  tutti::v1::Side side = tutti::v1::SIDE_UNSPECIFIED;
  size_t column = 0;                                // its place in the columns of every edge
  const tutti::v1::StreamReport* report = nullptr;  // null: its host did not report it
  std::optional<uint64_t> bytes;
  std::vector<uint64_t> interval_bytes;  // all intervals, or empty; the sum is `bytes`
  std::optional<uint64_t> retransmits;   // senders
  std::optional<uint64_t> kernel_bytes;
  std::optional<int64_t> queue_change_bytes;
  bool failed() const { return report != nullptr && report->has_error(); }
};

struct HostSeries {
  const HostInput* input = nullptr;
  std::vector<const tutti::v1::EdgeSample*> edges;  // by index, null where missing
  uint32_t missing_edges = 0;
  bool has_window = false;  // the first and the last edge are there
  int64_t begin_ns = 0;     // actual edges of the window: the middles of their readings
  int64_t end_ns = 0;
  int64_t edge_error_ns = 0;        // half of both readings' lengths + the difference of their lateness
  std::vector<EndSeries> ends;      // in the order of Prepare.streams
  std::vector<std::string> faults;  // contradictions: the trial is suspect
  std::vector<std::string> warnings;

  int64_t elapsed_ns() const { return end_ns - begin_ns; }
  bool complete() const { return has_window && missing_edges == 0; }
};

// How far the host's trial time can be from the common timeline at this instant of its trial.
int64_t ClockBound(const HostSeries& host, int64_t trial_ns, TimelineTime t0);

// The middle of an edge's reading.
int64_t MiddleNs(const tutti::v1::EdgeSample& edge);

struct StreamView {
  const tutti::v1::Flow* flow = nullptr;
  const tutti::v1::TrafficEntry* traffic = nullptr;  // null: the plan's case has no such entry
  const HostSeries* from = nullptr;                  // null: the host is not among the inputs
  const HostSeries* to = nullptr;
  const EndSeries* sender = nullptr;  // null: the host was not asked for it
  const EndSeries* receiver = nullptr;

  bool tcp() const { return traffic != nullptr && traffic->protocol() == tutti::v1::PROTOCOL_TCP; }
  bool udp() const { return traffic != nullptr && traffic->protocol() == tutti::v1::PROTOCOL_UDP; }
  // Request/response: what it sends are requests.
  bool exchanges() const { return traffic != nullptr && traffic->has_request_response(); }
  // TCP on one connection, whose TCP_INFO is that of the stream.
  bool one_connection() const {
    return tcp() && (!exchanges() ||
                     traffic->request_response().exchange() != tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE);
  }
  // It ends by itself.
  bool has_volume() const { return traffic != nullptr && traffic->has_volume_bytes(); }
  // "stream 3 (a -> b, bulk)"
  std::string Name() const;
};

class TrialView {
 public:
  const TrialInput* input = nullptr;
  Grid grid;
  std::vector<HostSeries> hosts;    // by name
  std::vector<StreamView> streams;  // by id

  explicit TrialView(const TrialInput& trial);
  TrialView(const TrialView&) = delete;
  TrialView& operator=(const TrialView&) = delete;

  const HostSeries* FindHost(const std::string& name) const;

 private:
  std::map<std::string, size_t> by_name_;
};

}  // namespace tutti::results
