#include "coordinator/store/sqlite/list_query.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/macros.h"

namespace tutti::store {
namespace {

constexpr uint32_t kDefaultPageRuns = 50;
constexpr uint32_t kMostPageRuns = 1000;
// SQLite takes patterns of up to 50,000 bytes (SQLITE_MAX_LIKE_PATTERN_LENGTH), and escapes double ours.
constexpr size_t kMostTextBytes = 4096;
// A run has no more, and SQLite takes expressions of a depth of 1,000.
constexpr size_t kMostLabels = 64;

constexpr char kColumns[] =
    "r.number, r.run_id, r.status, r.exit_code, r.plan_name, r.user, r.submitted_unix_ns, r.started_unix_ns, "
    "r.finished_unix_ns, r.lab, r.insecure, r.cases, r.stored_bytes";

// A pattern of LIKE that has `text` anywhere in it; escaped by a backslash.
std::string Containing(const std::string& text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern.push_back('\\');
    pattern.push_back(c);
  }
  return pattern + "%";
}

// A pattern of GLOB in which nothing but * means more than itself.
std::string AsGlob(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '?' || c == '[') {
      absl::StrAppend(&pattern, "[", std::string(1, c), "]");
    } else {
      pattern.push_back(c);
    }
  }
  return pattern;
}

absl::StatusOr<int64_t> NumberOf(const std::string& token) {
  int64_t number = 0;
  if (absl::SimpleAtoi(token, &number) && number > 0 && PageToken(number) == token) return number;
  constexpr size_t kMostShown = 64;
  return absl::InvalidArgumentError(
      absl::StrCat("page token \"", token.substr(0, kMostShown),
                   "\" is none that a list has given; leave it out to begin with the first page"));
}

class Builder {
 public:
  explicit Builder(const tutti::v1::ListRunsRequest& request) : request_(request) {}

  absl::StatusOr<ListQuery> Make() {
    TUTTI_RETURN_IF_ERROR(AddConditions());
    query_.page_runs =
        request_.page_runs() == 0 ? kDefaultPageRuns : std::min(request_.page_runs(), kMostPageRuns);
    query_.sql =
        absl::StrCat("SELECT ", kColumns, " FROM ", Tables(), conditions_.empty() ? "" : " WHERE ",
                     conditions_, " ORDER BY ", NumberColumn(), " DESC LIMIT ", query_.page_runs + 1);
    return std::move(query_);
  }

 private:
  // The index of a label or a host leads to its runs in order; CROSS JOIN keeps SQLite from turning that
  // round.
  const char* Tables() const {
    if (by_label_) return "labels l CROSS JOIN runs r ON r.number = l.number";
    return by_host_ ? "hosts h CROSS JOIN runs r ON r.number = h.number" : "runs r";
  }
  const char* NumberColumn() const { return by_label_ ? "l.number" : by_host_ ? "h.number" : "r.number"; }

  void And(const std::string& condition) {
    absl::StrAppend(&conditions_, conditions_.empty() ? "" : " AND ", condition);
  }
  // A unary plus keeps SQLite from choosing the column's index beside the one that was chosen here.
  void AndEqual(const char* column, std::variant<int64_t, std::string> value) {
    And(absl::StrCat(index_chosen_ ? "+" : "", column, " = ?"));
    query_.values.push_back(std::move(value));
    index_chosen_ = true;
  }

  void AddLabels() {
    const std::map<std::string, std::string> labels(request_.labels().begin(), request_.labels().end());
    for (const auto& [key, value] : labels) {
      And(by_label_
              ? "EXISTS (SELECT 1 FROM labels o WHERE o.key = ? AND o.value = ? AND o.number = l.number)"
              : "l.key = ? AND l.value = ?");
      query_.values.emplace_back(key);
      query_.values.emplace_back(value);
      by_label_ = true;
      index_chosen_ = true;
    }
  }

  // One host has to have all that is asked of hosts. No index gives the runs of a pattern of kernels in
  // order: it is looked for in each run.
  void AddHost() {
    const std::string& name = request_.host();
    const std::string& fingerprint = request_.fingerprint();
    const std::string& kernel = request_.kernel();
    if (name.empty() && fingerprint.empty() && kernel.empty()) return;
    const bool is_pattern = kernel.find('*') != std::string::npos;
    const bool by_kernel = name.empty() && fingerprint.empty() && !is_pattern;
    by_host_ = !by_label_ && (by_kernel || !name.empty() || !fingerprint.empty());
    std::vector<std::string> wanted;
    if (!name.empty()) {
      wanted.emplace_back("h.name = ?");
      query_.values.emplace_back(name);
    }
    if (!fingerprint.empty()) {
      wanted.emplace_back(name.empty() ? "h.fingerprint = ?" : "+h.fingerprint = ?");
      query_.values.emplace_back(fingerprint);
    }
    if (!kernel.empty()) {
      wanted.emplace_back(is_pattern ? "+h.kernel GLOB ?" : by_kernel ? "h.kernel = ?" : "+h.kernel = ?");
      query_.values.emplace_back(is_pattern ? AsGlob(kernel) : kernel);
    }
    const std::string all = absl::StrJoin(wanted, " AND ");
    if (!by_host_) {
      And(absl::StrCat("EXISTS (SELECT 1 FROM hosts h WHERE h.number = ", NumberColumn(), " AND ", all, ")"));
      return;
    }
    And(all);
    index_chosen_ = true;
    if (!name.empty()) return;
    // Several hosts of a run may be alike: the first one stands for them.
    const char* alike = by_kernel ? "kernel" : "fingerprint";
    And(absl::StrCat("NOT EXISTS (SELECT 1 FROM hosts e WHERE e.", alike, " = h.", alike,
                     " AND e.number = h.number AND e.name < h.name)"));
  }

  // Nothing that is kept has more, and SQLite's patterns end before its texts do.
  absl::Status CheckSizes() const {
    absl::Status status;
    const auto check = [&status](const char* what, size_t bytes) {
      if (bytes <= kMostTextBytes) return;
      status.Update(absl::InvalidArgumentError(
          absl::StrCat(what, " to look for has ", bytes, " bytes, at most ", kMostTextBytes, " are taken")));
    };
    check("the text", request_.text().size());
    check("the plan's name", request_.plan_name().size());
    check("the host", request_.host().size());
    check("the fingerprint", request_.fingerprint().size());
    check("the kernel", request_.kernel().size());
    for (const auto& [key, value] : request_.labels()) check("a label", key.size() + value.size());
    return status;
  }

  absl::Status AddConditions() {
    TUTTI_RETURN_IF_ERROR(CheckSizes());
    if (static_cast<size_t>(request_.labels_size()) > kMostLabels) {
      return absl::InvalidArgumentError(absl::StrCat("the filter has ", request_.labels_size(),
                                                     " labels, at most ", kMostLabels, " are taken"));
    }
    AddLabels();
    AddHost();
    if (!request_.plan_name().empty()) AndEqual("r.plan_name", request_.plan_name());
    if (request_.status() != tutti::v1::RUN_STATUS_UNSPECIFIED) {
      AndEqual("r.status", static_cast<int64_t>(request_.status()));
    }
    if (request_.has_since_unix_ns()) {
      And("r.submitted_unix_ns >= ?");
      query_.values.emplace_back(static_cast<int64_t>(request_.since_unix_ns()));
    }
    if (request_.has_until_unix_ns()) {
      And("r.submitted_unix_ns < ?");
      query_.values.emplace_back(static_cast<int64_t>(request_.until_unix_ns()));
    }
    if (!request_.text().empty()) {
      And("(r.run_id LIKE ? ESCAPE '\\' OR r.plan_name LIKE ? ESCAPE '\\' OR r.user LIKE ? ESCAPE '\\')");
      for (int i = 0; i < 3; ++i) query_.values.emplace_back(Containing(request_.text()));
    }
    if (request_.page_token().empty()) return absl::OkStatus();
    TUTTI_ASSIGN_OR_RETURN(const int64_t before, NumberOf(request_.page_token()));
    And(absl::StrCat(NumberColumn(), " < ?"));
    query_.values.emplace_back(before);
    return absl::OkStatus();
  }

  const tutti::v1::ListRunsRequest& request_;
  ListQuery query_;
  std::string conditions_;
  bool by_label_ = false;
  bool by_host_ = false;
  bool index_chosen_ = false;
};

}  // namespace

absl::StatusOr<ListQuery> MakeListQuery(const tutti::v1::ListRunsRequest& request) {
  return Builder(request).Make();
}

std::string RunQuery() { return absl::StrCat("SELECT ", kColumns, " FROM runs r WHERE r.run_id = ?"); }

std::string PageToken(int64_t number) { return absl::StrCat(number); }

}  // namespace tutti::store
