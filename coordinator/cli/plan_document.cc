#include "coordinator/cli/plan_document.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/plan/written_place.h"

namespace tutti::cli {
namespace {

using report::Document;

Document RolesDocument(const plan::RoleHosts& roles) {
  Document document = Document::Map();
  for (const auto& [role, hosts] : roles) document.Add(role, Document::Texts(hosts));
  return document;
}

}  // namespace

absl::StatusOr<Document> PlanDocument(const tutti::v1::Plan& plan,
                                      const std::vector<plan::Candidate>& fleet) {
  TUTTI_ASSIGN_OR_RETURN(const plan::Placement placement, plan::Place(plan, fleet));
  Document cases = Document::List();
  for (int i = 0; i < plan.cases_size(); ++i) {
    const plan::RoleHosts& roles = placement.cases.at(static_cast<size_t>(i));
    const absl::StatusOr<std::vector<tutti::v1::Flow>> flows = plan::ExpandFlows(plan.cases(i), roles, fleet);
    if (!flows.ok()) return plan::WithPlace(plan, i, Annotate(flows.status(), absl::StrCat("case ", i + 1)));
    Document list = Document::List();
    for (const tutti::v1::Flow& flow : *flows) list.Add(report::MessageDocument(flow));
    Document each = Document::Map();
    each.Add("index", Document::Number(i));
    each.Add("roles", RolesDocument(roles));
    each.Add("flows", std::move(list));
    cases.Add(std::move(each));
  }
  Document document = Document::Map();
  document.Add("plan", report::MessageDocument(plan));
  document.Add("hosts", Document::Texts(placement.hosts));
  document.Add("expected_duration_ns", Document::Number(plan::ExpectedDurationNs(plan)));
  document.Add("cases", std::move(cases));
  return document;
}

Document CheckedPlan(const std::string& source_name, const plan::LoadedPlan& loaded) {
  Document errors = Document::List();
  for (const plan::PlanError& error : loaded.errors) {
    const bool in_file = error.line > 0;
    Document each = Document::Map();
    each.Add("line", in_file ? Document::Number(error.line) : Document::Null());
    each.Add("column", in_file ? Document::Number(error.column) : Document::Null());
    each.Add("path", Document::Text(error.path));
    each.Add("message", Document::Text(error.message));
    errors.Add(std::move(each));
  }
  const bool valid = loaded.errors.empty();
  Document document = Document::Map();
  document.Add("file", Document::Text(source_name));
  document.Add("valid", Document::Bool(valid));
  document.Add("cases", valid ? Document::Number(loaded.plan.cases_size()) : Document::Null());
  document.Add("errors", std::move(errors));
  document.Add("warnings", Document::Texts(loaded.warnings));
  return document;
}

}  // namespace tutti::cli
