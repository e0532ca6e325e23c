#include "coordinator/telemetry/fleet_families.h"

#include <map>
#include <utility>

#include "coordinator/report/enum_name.h"

namespace tutti::telemetry {

using tutti::v1::WorkerInfo;

Families FleetFamilies(const std::vector<WorkerInfo>& workers) {
  prometheus::MetricFamily counts = GaugeFamily("tutti_workers", "Workers that the coordinator knows.");
  prometheus::MetricFamily bounds = GaugeFamily(
      "tutti_worker_clock_bound_seconds",
      "How far the estimate of a worker's clock may be off; absent while it is lost or not measured.");
  std::map<int, size_t> of_state;
  for (const WorkerInfo& worker : workers) {
    ++of_state[worker.state()];
    if (!worker.has_clock_bound_ns()) continue;
    AddSample(bounds, static_cast<double>(worker.clock_bound_ns()) / 1e9, {{"worker", worker.name()}});
  }
  const google::protobuf::EnumDescriptor& states = *WorkerInfo::State_descriptor();
  for (int i = 0; i < states.value_count(); ++i) {
    const google::protobuf::EnumValueDescriptor& state = *states.value(i);
    if (state.number() == WorkerInfo::STATE_UNSPECIFIED) continue;
    AddSample(counts, static_cast<double>(of_state[state.number()]),
              {{"state", report::ShortEnumName(state)}});
  }
  Families families;
  families.push_back(std::move(counts));
  families.push_back(std::move(bounds));
  return families;
}

}  // namespace tutti::telemetry
