#include "coordinator/telemetry/samples.h"

#include "common/status/printable.h"

namespace tutti::telemetry {
namespace {

prometheus::MetricFamily MakeFamily(prometheus::MetricType type, std::string name, std::string help) {
  prometheus::MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  return family;
}

}  // namespace

prometheus::MetricFamily GaugeFamily(std::string name, std::string help) {
  return MakeFamily(prometheus::MetricType::Gauge, std::move(name), std::move(help));
}

prometheus::MetricFamily CounterFamily(std::string name, std::string help) {
  return MakeFamily(prometheus::MetricType::Counter, std::move(name), std::move(help));
}

void AddSample(prometheus::MetricFamily& family, double value, const LabelTexts& labels) {
  prometheus::ClientMetric& sample = family.metric.emplace_back();
  for (const auto& [name, text] : labels) sample.label.push_back({name, Printable(text)});
  if (family.type == prometheus::MetricType::Counter) {
    sample.counter.value = value;
  } else {
    sample.gauge.value = value;
  }
}

}  // namespace tutti::telemetry
