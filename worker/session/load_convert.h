// Between the session's messages and the structures of worker/load, field by field: pure.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "common/time/clock_mapping.h"
#include "tutti/v1/session.pb.h"
#include "tutti/v1/stream.pb.h"
#include "worker/load/load_trial.h"

namespace tutti::session {

// InvalidArgument, with the stream's id, for a side or protocol that is not set, a port above 65535, and the
// like.
absl::StatusOr<load::StreamConfig> ToStreamConfig(const v1::StreamEnd& end, std::optional<uint32_t> cpu);
absl::StatusOr<load::TrialTiming> ToTrialTiming(const v1::Timing& timing);
// InvalidArgument for a drift or a bound that no clock has.
absl::StatusOr<ClockMapping> ToClockMapping(const v1::ClockMappingProto& mapping);
absl::StatusOr<std::vector<load::BoundPort>> ToBoundPorts(const v1::Connect& connect);
std::vector<load::SenderFinal> ToSenderFinals(const v1::Drain& drain);

v1::EdgeSample ToProto(const load::Edge& edge);
v1::StreamReport ToProto(const load::StreamReport& report);
v1::SenderFinal ToProto(const load::SenderFinal& final_count);
v1::BoundPort ToProto(const load::BoundPort& port);

}  // namespace tutti::session
