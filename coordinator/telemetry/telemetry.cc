#include "coordinator/telemetry/telemetry.h"

#include <google/protobuf/descriptor.h>
#include <prometheus/text_serializer.h>

#include <utility>

#include "common/time/clock.h"
#include "common/version/version.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/telemetry/fleet_families.h"
#include "coordinator/telemetry/process_families.h"
#include "tutti/v1/result.pb.h"

namespace tutti::telemetry {
namespace {

using StatusCounters = prometheus::Family<prometheus::Counter>;

constexpr int64_t kProbePeriodNs = 1'000'000'000;

// In seconds: from how late any timer is on an idle host to the default lease, after which workers are lost.
prometheus::Histogram::BucketBoundaries DelayBounds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2};
}

// Every value of the enum from `first` on is there as 0: of a series that only appears with its first event,
// `rate` and `increase` would not see that one.
template <typename Status>
void AddStatuses(Status first, StatusCounters& family) {
  const google::protobuf::EnumDescriptor& type = *google::protobuf::GetEnumDescriptor<Status>();
  for (int i = 0; i < type.value_count(); ++i) {
    const google::protobuf::EnumValueDescriptor& value = *type.value(i);
    if (value.number() >= static_cast<int>(first)) family.Add({{"status", report::ShortEnumName(value)}});
  }
}

template <typename Status>
void Count(Status status, StatusCounters& family) {
  family.Add({{"status", report::EnumName(status)}}).Increment();
}

void Append(Families families, Families& page) {
  for (prometheus::MetricFamily& each : families) page.push_back(std::move(each));
}

}  // namespace

Telemetry::Telemetry(Executor& executor, TelemetryOptions options)
    : executor_(executor),
      options_(std::move(options)),
      started_unix_ns_(UnixNowNs()),
      runs_ended_(prometheus::BuildCounter()
                      .Name("tutti_runs_ended_total")
                      .Help("Runs that have ended since the coordinator started.")
                      .Register(registry_)),
      trials_(prometheus::BuildCounter()
                  .Name("tutti_trials_total")
                  .Help("Trials that have been judged since the coordinator started.")
                  .Register(registry_)),
      decision_delay_(prometheus::BuildHistogram()
                          .Name("tutti_decision_delay_seconds")
                          .Help("How late the thread that decides everything got to a timer, once a second.")
                          .Register(registry_)
                          .Add({}, DelayBounds())) {
  AddStatuses(tutti::v1::RUN_STATUS_PASSED, runs_ended_);
  AddStatuses(tutti::v1::TRIAL_STATUS_GOOD, trials_);
  AwaitProbe();
}

Telemetry::~Telemetry() { executor_.Cancel(probe_); }

void Telemetry::AwaitProbe() {
  const int64_t due_ns = executor_.NowNs() + kProbePeriodNs;
  probe_ = executor_.PostAfter(kProbePeriodNs, [this, due_ns] {
    decision_delay_.Observe(static_cast<double>(executor_.NowNs() - due_ns) / 1e9);
    AwaitProbe();
  });
}

void Telemetry::OnEvent(const run::SharedEvent& event) {
  open_runs_.OnEvent(*event, executor_.NowNs());
  if (event->has_trial_ended()) Count(event->trial_ended().status(), trials_);
  if (event->has_ended()) Count(event->ended().status(), runs_ended_);
}

void Telemetry::Page(std::function<void(std::string)> done) const {
  Families outside = ProcessFamilies(started_unix_ns_);
  Append(StateFolderFamilies(options_.state_dir), outside);
  executor_.Post([this, alive = std::weak_ptr<const bool>(alive_), outside = std::move(outside),
                  done = std::move(done)] {
    if (!alive.expired()) done(Render(outside));
  });
}

std::string Telemetry::Render(const Families& outside) const {
  Families page;
  page.push_back(GaugeFamily("tutti_build_info", "Always 1; the label tells the coordinator's version."));
  AddSample(page.back(), 1, {{"version", kVersion}});
  Append(FleetFamilies(options_.workers()), page);
  Append(open_runs_.Collect(executor_.NowNs()), page);
  Append(registry_.Collect(), page);
  Append(outside, page);
  return prometheus::TextSerializer().Serialize(page);
}

}  // namespace tutti::telemetry
