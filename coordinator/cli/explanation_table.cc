#include "coordinator/cli/explanation_table.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/aligned_columns.h"

namespace tutti::cli {
namespace {

using plan::ExplainedCase;
using plan::ExplainedValue;
using report::Document;

std::vector<ExplainedValue> Shared(const std::vector<ExplainedCase>& cases) {
  return cases.size() > 1 ? plan::SharedValues(cases) : std::vector<ExplainedValue>();
}

// Those that do not stand above.
std::vector<ExplainedValue> OwnValues(const ExplainedCase& each, const std::vector<ExplainedValue>& shared) {
  std::set<std::string> above;
  for (const ExplainedValue& value : shared) above.insert(value.path);
  std::vector<ExplainedValue> own;
  for (const ExplainedValue& value : each.values) {
    if (above.count(value.path) == 0) own.push_back(value);
  }
  return own;
}

// "case 3 of 8: streams=4 socket_buffer=1MiB"
std::string CaseTitle(const tutti::v1::Plan& plan, const ExplainedCase& each) {
  std::string title = absl::StrCat("case ", each.index + 1, " of ", plan.cases_size());
  if (static_cast<int>(each.index) >= plan.cases_size()) return title;
  std::string values;
  for (const tutti::v1::AxisValue& value : plan.cases(static_cast<int>(each.index)).values()) {
    absl::StrAppend(&values, values.empty() ? ": " : " ", value.axis(), "=", value.value());
  }
  return title + values;
}

// A title does not widen the column.
std::string Block(const std::string& source_name, const std::string& title,
                  const std::vector<ExplainedValue>& values) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(values.size());
  for (const ExplainedValue& value : values) {
    rows.push_back({absl::StrCat("  ", value.path), value.value, plan::OriginText(value, source_name)});
  }
  return absl::StrCat(title, "\n", rows.empty() ? "" : AlignColumns(rows));
}

Document ValueDocument(const ExplainedValue& value) {
  const bool in_file = value.position.line > 0;
  const bool by_set = !value.position.origin.empty();
  Document document = Document::Map();
  document.Add("path", Document::Text(value.path));
  document.Add("value", Document::Text(value.value));
  document.Add("origin", Document::Text(plan::OriginName(value.origin)));
  document.Add("line", in_file ? Document::Number(value.position.line) : Document::Null());
  document.Add("column", in_file ? Document::Number(value.position.column) : Document::Null());
  document.Add("set", by_set ? Document::Text(value.position.origin) : Document::Null());
  document.Add("axes", Document::Texts(value.axes));
  document.Add("fields", Document::Texts(value.fields));
  return document;
}

Document ValuesDocument(const std::vector<ExplainedValue>& values) {
  Document list = Document::List();
  for (const ExplainedValue& value : values) list.Add(ValueDocument(value));
  return list;
}

}  // namespace

std::string RenderExplanation(const tutti::v1::Plan& plan, const std::vector<ExplainedCase>& cases) {
  const std::vector<ExplainedValue> shared = Shared(cases);
  std::string text;
  if (!shared.empty()) text = Block(plan.source_name(), absl::StrCat("all ", cases.size(), " cases"), shared);
  for (const ExplainedCase& each : cases) {
    absl::StrAppend(&text, text.empty() ? "" : "\n",
                    Block(plan.source_name(), CaseTitle(plan, each), OwnValues(each, shared)));
  }
  return text;
}

Document ExplanationDocument(const tutti::v1::Plan& plan, const std::vector<ExplainedCase>& cases) {
  const std::vector<ExplainedValue> shared = Shared(cases);
  Document list = Document::List();
  for (const ExplainedCase& each : cases) {
    Document one = Document::Map();
    one.Add("index", Document::Number(each.index));
    one.Add("values", ValuesDocument(OwnValues(each, shared)));
    list.Add(std::move(one));
  }
  Document document = Document::Map();
  document.Add("plan", Document::Text(plan.name()));
  document.Add("source_name", Document::Text(plan.source_name()));
  document.Add("overrides", Document::Texts({plan.overrides().begin(), plan.overrides().end()}));
  document.Add("shared", ValuesDocument(shared));
  document.Add("cases", std::move(list));
  return document;
}

}  // namespace tutti::cli
