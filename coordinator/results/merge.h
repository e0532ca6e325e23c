// Merges what the hosts of a trial reported into one result, and judges it. Pure; thread-safe; no clock is
// read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/time/clock_mapping.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::results {

// What came from one host, complete or not. Reports and readings are usable (plausible_report.h): what is
// added up of them fits.
struct HostInput {
  std::string host;
  std::string machine;                        // id in Result.machines
  std::vector<uint32_t> stream_ids;           // in the order of its Prepare.streams
  std::vector<tutti::v1::Side> stream_sides;  // likewise
  std::optional<tutti::v1::TrialReport> report;
  std::vector<tutti::v1::EdgeSample> progress;  // used where `report` is missing
  std::string missing;  // why `report` is missing: "session lost: ..."; empty if it is there
  std::vector<tutti::v1::StreamReport> failed_streams;
  ClockMapping mapping;                        // that the trial began with
  uint32_t refits = 0;                         // how often it was renewed while the trial ran
  uint32_t refits_sent = 0;                    // and how often the host was told to
  std::optional<ClockMapping> mapping_at_end;  // what had become of it by the window's end; unset: the same
  int64_t largest_bound_ns = 0;                // from T0 to then, where it was renewed
  std::optional<ClockMapping> mapping_after;   // estimated after the trial
  tutti::v1::ClockSource clock_source = tutti::v1::CLOCK_SOURCE_UNSPECIFIED;
  std::optional<int64_t> clock_round_trip_ns;  // the least of the measurements in use
  std::optional<uint32_t> clock_restarts;      // from ARM to the end; unset: not known
};

struct TrialInput {
  tutti::v1::Case plan_case;
  uint32_t repetition = 1;
  uint64_t trial_id = 0;
  int64_t started_unix_ns = 0;
  TimelineTime t0;
  bool cancelled = false;
  std::string cancel_cause;  // empty: somebody asked for it
  std::string failure;  // why the trial ended before its report: "PREPARE on host b: ..."; empty: it did not
  std::string aborted;  // the threshold that ended it early, and its figure; empty: none did
  std::vector<tutti::v1::Flow> flows;
  std::vector<HostInput> hosts;
  std::vector<tutti::v1::Machine> machines;
  std::vector<tutti::v1::Host> all_hosts;                 // facts: devices, speeds
  std::map<std::string, std::vector<std::string>> roles;  // role -> hosts of this case
  std::map<std::string, double> background_cores;         // machine -> busy cores before the case
};

tutti::v1::TrialResult MergeTrial(const TrialInput& input);

// Rows, thresholds, status and reasons from the trials; `trials` are moved in.
tutti::v1::CaseResult SummarizeCase(const tutti::v1::Case& plan_case,
                                    std::vector<tutti::v1::TrialResult> trials, bool cancelled);

// Fills `status`, `exit_code` and `reasons` of a finished run from its cases.
// The order where several hold: cancelled 8, failed 11, partial or suspect 7, limit or threshold 4, passed 0.
void JudgeRun(tutti::v1::Result& result, bool cancelled);

}  // namespace tutti::results
