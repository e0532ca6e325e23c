// Families of metrics whose figures are read when the page is asked for. Pure; thread-safe.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

namespace tutti::telemetry {

using Families = std::vector<prometheus::MetricFamily>;
using LabelTexts = std::vector<std::pair<std::string, std::string>>;

// Without samples yet: one that never gets any is told by name and help alone, since what is not known is
// not 0. Names as prometheus.io/docs/practices/naming wants them: the unit at the end, behind that "_total"
// for a counter.
prometheus::MetricFamily GaugeFamily(std::string name, std::string help);
prometheus::MetricFamily CounterFamily(std::string name, std::string help);

// Values of labels may be anybody's text. What is not UTF-8, or acts on a terminal, is written out; quotes
// and backslashes are the serializer's to escape.
void AddSample(prometheus::MetricFamily& family, double value, const LabelTexts& labels = {});

}  // namespace tutti::telemetry
