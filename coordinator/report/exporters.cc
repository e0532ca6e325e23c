// The formats that a result can be shown in; a new one adds its file and one line here.
#include "absl/strings/str_cat.h"
#include "coordinator/report/document.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

template <CsvRows rows>
std::string Csv(const tutti::v1::Result& result, const Style&) {
  return RenderCsv(result, rows);
}

}  // namespace

const std::vector<Exporter>& Exporters() {
  using Result = tutti::v1::Result;
  static const std::vector<Exporter>& exporters = *new std::vector<Exporter>{
      {"table", "head and table",
       [](const Result& result, const Style& style) {
         return RenderHead(result, style) + "\n" + RenderTable(result, style);
       },
       false, true},
      {"json", "the whole result as one JSON document",
       [](const Result& result, const Style&) { return RenderJson(result); }, true},
      {"yaml", "the same as YAML",
       [](const Result& result, const Style&) { return DocumentYaml(MessageDocument(result)); }, true},
      {"csv:case", "CSV, a line per case, entry and direction", &Csv<CsvRows::kCase>, true},
      {"csv:trial", "CSV, a line per trial, entry and direction", &Csv<CsvRows::kTrial>, true},
      {"csv:host", "CSV, a line per trial and host", &Csv<CsvRows::kHost>, true},
      {"csv:stream", "CSV, a line per trial and stream", &Csv<CsvRows::kStream>, true},
      {"csv:interval", "CSV, a line per trial, interval and host", &Csv<CsvRows::kInterval>, true},
      {"junit", "JUnit XML, a test per case and threshold",
       [](const Result& result, const Style&) { return RenderJunit(result); }, true, true},
      {"stream-test", "the line of the stream_test script",
       [](const Result& result, const Style&) { return RenderStreamTest(result); }, false, true},
      {"netperf", "netperf's columns",
       [](const Result& result, const Style&) { return RenderNetperf(result); }, false, true},
  };
  return exporters;
}

absl::StatusOr<const Exporter*> FindExporter(std::string_view name) {
  const std::string_view wanted = name == "csv" ? std::string_view("csv:case") : name;
  std::string known;
  for (const Exporter& exporter : Exporters()) {
    if (wanted == exporter.name) return &exporter;
    absl::StrAppend(&known, known.empty() ? "" : ", ", exporter.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown format \"", absl::string_view(name.data(), name.size()), "\"; the formats are ", known));
}

}  // namespace tutti::report
