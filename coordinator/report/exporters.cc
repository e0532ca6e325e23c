// The formats that a result can be shown in; a new one adds its file and one line here.
#include "absl/strings/str_cat.h"
#include "coordinator/report/document.h"
#include "coordinator/report/report.h"

namespace tutti::report {

const std::vector<Exporter>& Exporters() {
  using Result = tutti::v1::Result;
  static const std::vector<Exporter>& exporters = *new std::vector<Exporter>{
      {"table", "head and table",
       [](const Result& result, const Style& style) {
         return RenderHead(result, style) + "\n" + RenderTable(result, style);
       }},
      {"json", "the whole result as one JSON document",
       [](const Result& result, const Style&) { return RenderJson(result); }},
      {"yaml", "the same as YAML",
       [](const Result& result, const Style&) { return DocumentYaml(MessageDocument(result)); }},
      {"stream-test", "the line of the stream_test script",
       [](const Result& result, const Style&) { return RenderStreamTest(result); }},
      {"netperf", "netperf's columns",
       [](const Result& result, const Style&) { return RenderNetperf(result); }},
  };
  return exporters;
}

absl::StatusOr<const Exporter*> FindExporter(std::string_view name) {
  std::string known;
  for (const Exporter& exporter : Exporters()) {
    if (name == exporter.name) return &exporter;
    absl::StrAppend(&known, known.empty() ? "" : ", ", exporter.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown format \"", absl::string_view(name.data(), name.size()), "\"; the formats are ", known));
}

}  // namespace tutti::report
