#include "coordinator/store/sqlite/run_rows.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/store/column_codec.h"
#include "coordinator/store/compression.h"
#include "coordinator/store/sqlite/damage.h"
#include "coordinator/store/sqlite/list_query.h"

namespace tutti::store {
namespace {

namespace v1 = tutti::v1;

std::optional<int64_t> UnlessZero(int64_t value) { return value == 0 ? std::nullopt : std::optional(value); }

absl::Status ParsePacked(std::string_view packed, google::protobuf::Message& message) {
  TUTTI_ASSIGN_OR_RETURN(const std::string bytes, Decompress(packed));
  if (message.ParseFromString(bytes)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("a stored ", message.GetTypeName(), " cannot be parsed"));
}

// No plan has more (coordinator/plan/language.h).
constexpr int64_t kMostCases = 10'000;

// nullptr for a position that no case can have.
v1::CaseResult* CaseAt(v1::Result& result, int64_t position) {
  if (position < 0 || position >= kMostCases) return nullptr;
  while (result.cases_size() <= position) {
    const int index = result.cases_size();
    result.add_cases()->set_index(static_cast<uint32_t>(index));
  }
  return result.mutable_cases(static_cast<int>(position));
}

absl::Status NoCase(int64_t position) {
  return absl::DataLossError(absl::StrCat("no case can have position ", position));
}

absl::Status ReadCases(Database& database, int64_t number, v1::Result& result, Damage& damage) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement cases,
      database.Prepare("SELECT position, summary FROM cases WHERE number = ? ORDER BY position"));
  cases.Bind(number);
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, cases.Step());
    if (!row) return absl::OkStatus();
    const int64_t position = cases.Int(0);
    v1::CaseResult* const into = CaseAt(result, position);
    const absl::Status parsed = into == nullptr ? NoCase(position) : ParsePacked(cases.Blob(1), *into);
    TUTTI_RETURN_IF_ERROR(damage.Note(absl::StrCat("the summary of case ", position + 1), parsed));
    if (parsed.ok() || into == nullptr) continue;
    into->Clear();
    into->set_index(static_cast<uint32_t>(position));
  }
}

absl::Status ReadTrials(Database& database, int64_t number, LeavesOut leaves_out, v1::Result& result,
                        Damage& damage) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement trials, database.Prepare("SELECT case_position, position, trial FROM trials WHERE number = ? "
                                         "ORDER BY case_position, position"));
  trials.Bind(number);
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, trials.Step());
    if (!row) return absl::OkStatus();
    v1::CaseResult* const of_case = CaseAt(result, trials.Int(0));
    const absl::Status unpacked = of_case == nullptr
                                      ? NoCase(trials.Int(0))
                                      : UnpackMessage(trials.Blob(2), *of_case->add_trials(), leaves_out);
    if (!unpacked.ok() && of_case != nullptr) of_case->mutable_trials()->RemoveLast();
    // The figures of the case, which may count it, are kept beside it; the table's marks come from trials.
    TUTTI_RETURN_IF_ERROR(damage.Note(
        absl::StrCat("trial ", trials.Int(1) + 1, " of case ", trials.Int(0) + 1), unpacked,
        "; its warnings, and whether a machine was already busy before it, are not told any more"));
  }
}

// A number that is no status says nothing.
v1::RunStatus StatusOf(int64_t stored) {
  const int number = static_cast<int>(stored);
  if (number != stored || !v1::RunStatus_IsValid(number)) return v1::RUN_STATUS_UNSPECIFIED;
  return static_cast<v1::RunStatus>(number);
}

v1::RunSummary SummaryOfRow(const Statement& row) {
  v1::RunSummary summary;
  summary.set_run_id(row.Text(kRunId));
  summary.set_status(StatusOf(row.Int(kStatus)));
  if (const auto code = row.OptionalInt(kExitCode)) summary.set_exit_code(static_cast<int32_t>(*code));
  summary.set_plan_name(row.Text(kPlanName));
  summary.set_user(row.Text(kUser));
  summary.set_submitted_unix_ns(row.Int(kSubmittedUnixNs));
  if (const auto at = row.OptionalInt(kStartedUnixNs)) summary.set_started_unix_ns(*at);
  if (const auto at = row.OptionalInt(kFinishedUnixNs)) summary.set_finished_unix_ns(*at);
  summary.set_lab(row.Int(kLab) != 0);
  summary.set_insecure(row.Int(kInsecure) != 0);
  summary.set_cases(static_cast<uint32_t>(row.Int(kCases)));
  summary.set_stored_bytes(static_cast<uint64_t>(row.Int(kStoredBytes)));
  return summary;
}

absl::Status ReadLabels(Database& database, int64_t number, v1::RunSummary& summary) {
  TUTTI_ASSIGN_OR_RETURN(Statement labels,
                         database.Prepare("SELECT key, value FROM labels WHERE number = ?"));
  labels.Bind(number);
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, labels.Step());
    if (!row) return absl::OkStatus();
    (*summary.mutable_labels())[labels.Text(0)] = labels.Text(1);
  }
}

absl::Status InsertKey(Database& database, const std::string& key, int64_t number) {
  TUTTI_ASSIGN_OR_RETURN(Statement insert,
                         database.Prepare("INSERT INTO idempotency_keys (key, number) VALUES (?, ?)"));
  absl::Status inserted = insert.BindText(key).Bind(number).Run();
  if (!absl::IsAlreadyExists(inserted)) return inserted;
  return absl::AlreadyExistsError(absl::StrCat("another run has the idempotency key \"", key, "\""));
}

absl::StatusOr<v1::Result> ReadWholeHead(Database& database, int64_t number) {
  TUTTI_ASSIGN_OR_RETURN(Statement head, database.Prepare("SELECT head FROM heads WHERE number = ?"));
  head.Bind(number);
  TUTTI_ASSIGN_OR_RETURN(const bool row, head.Step());
  if (!row) return absl::DataLossError("its row is missing");
  v1::Result result;
  TUTTI_RETURN_IF_ERROR(ParsePacked(head.Blob(0), result));
  return result;
}

// What the row of a run says of its head.
v1::Result HeadOfSummary(const v1::RunSummary& summary) {
  v1::Result head;
  head.set_schema_version(1);
  head.set_run_id(summary.run_id());
  head.set_status(summary.status());
  head.set_exit_code(summary.exit_code());
  head.mutable_plan()->set_name(summary.plan_name());
  head.set_user(summary.user());
  head.set_submitted_unix_ns(summary.submitted_unix_ns());
  head.set_started_unix_ns(summary.started_unix_ns());
  head.set_finished_unix_ns(summary.finished_unix_ns());
  head.set_lab(summary.lab());
  head.set_insecure(summary.insecure());
  return head;
}

struct NumberedRun {
  int64_t number = 0;
  KeptRun run;
};

absl::StatusOr<NumberedRun> ReadHeadAndNumber(Database& database, const std::string& run_id, Damage& damage) {
  TUTTI_ASSIGN_OR_RETURN(Statement row, database.Prepare(RunQuery()));
  row.BindText(run_id);
  TUTTI_ASSIGN_OR_RETURN(const bool there, row.Step());
  if (!there) return absl::NotFoundError(absl::StrCat("no run \"", run_id, "\""));
  NumberedRun read;
  read.number = row.Int(kNumber);
  read.run.summary = SummaryOfRow(row);
  absl::StatusOr<v1::Result> head = ReadWholeHead(database, read.number);
  TUTTI_RETURN_IF_ERROR(damage.Note("the head of the run, its plan above all,", head.status()));
  read.run.head = head.ok() ? *std::move(head) : HeadOfSummary(read.run.summary);
  if (!read.run.summary.has_exit_code()) read.run.head.set_status(v1::RUN_STATUS_RUNNING);
  return read;
}

// A run that has ended has a row for each case of its plan, also for those that were not run.
absl::Status NoteMissingCases(Database& database, const NumberedRun& read, Damage& damage) {
  if (!read.run.summary.has_exit_code()) return absl::OkStatus();
  TUTTI_ASSIGN_OR_RETURN(Statement rows, database.Prepare("SELECT count(*) FROM cases WHERE number = ?"));
  rows.Bind(read.number);
  TUTTI_RETURN_IF_ERROR(rows.Step().status());
  const int64_t cases = read.run.summary.cases();
  const int64_t missing = cases - rows.Int(0);
  if (missing <= 0) return absl::OkStatus();
  return damage.Note(absl::StrCat("what ", missing, " of its ", cases, " cases had beside their trials"),
                     absl::DataLossError("the rows are missing"));
}

}  // namespace

absl::StatusOr<RunRow> FindRun(Database& database, const std::string& run_id) {
  TUTTI_ASSIGN_OR_RETURN(Statement run, database.Prepare("SELECT number, ended FROM runs WHERE run_id = ?"));
  run.BindText(run_id);
  TUTTI_ASSIGN_OR_RETURN(const bool row, run.Step());
  if (!row) return absl::NotFoundError(absl::StrCat("no run \"", run_id, "\""));
  return RunRow{run.Int(0), run.Int(1) != 0};
}

absl::Status InsertRun(Database& database, const v1::Result& head, const Labels& labels,
                       const std::string& key, const std::string& packed_head) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement run,
      database.Prepare("INSERT INTO runs (run_id, status, plan_name, user, submitted_unix_ns, lab, "
                       "insecure, cases, stored_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  run.BindText(head.run_id()).Bind(int64_t{v1::RUN_STATUS_RUNNING}).BindText(head.plan().name());
  run.BindText(head.user()).Bind(int64_t{head.submitted_unix_ns()}).Bind(int64_t{head.lab()});
  run.Bind(int64_t{head.insecure()}).Bind(int64_t{head.plan().cases_size()});
  run.Bind(static_cast<int64_t>(packed_head.size()));
  const absl::Status inserted = run.Run();
  if (absl::IsAlreadyExists(inserted)) {
    return absl::AlreadyExistsError(absl::StrCat("there is a run \"", head.run_id(), "\" already"));
  }
  TUTTI_RETURN_IF_ERROR(inserted);
  const int64_t number = database.last_row_id();
  TUTTI_ASSIGN_OR_RETURN(Statement stored,
                         database.Prepare("INSERT INTO heads (number, head) VALUES (?, ?)"));
  TUTTI_RETURN_IF_ERROR(stored.Bind(number).BindBlob(packed_head).Run());
  for (const auto& [name, value] : labels) {
    TUTTI_ASSIGN_OR_RETURN(Statement label,
                           database.Prepare("INSERT INTO labels (key, value, number) VALUES (?, ?, ?)"));
    TUTTI_RETURN_IF_ERROR(label.BindText(name).BindText(value).Bind(number).Run());
  }
  return key.empty() ? absl::OkStatus() : InsertKey(database, key, number);
}

absl::Status InsertTrial(Database& database, int64_t number, TrialPosition position,
                         const std::string& packed) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement trial,
      database.Prepare("INSERT OR IGNORE INTO trials (number, case_position, position, trial) "
                       "VALUES (?, ?, ?, ?)"));
  TUTTI_RETURN_IF_ERROR(
      trial.Bind(number).Bind(int64_t{position.first}).Bind(int64_t{position.second}).BindBlob(packed).Run());
  if (database.changes() == 0) return absl::OkStatus();
  TUTTI_ASSIGN_OR_RETURN(
      Statement grown, database.Prepare("UPDATE runs SET stored_bytes = stored_bytes + ? WHERE number = ?"));
  return grown.Bind(static_cast<int64_t>(packed.size())).Bind(number).Run();
}

absl::StatusOr<std::set<TrialPosition>> StoredTrials(Database& database, int64_t number) {
  TUTTI_ASSIGN_OR_RETURN(Statement trials,
                         database.Prepare("SELECT case_position, position FROM trials WHERE number = ?"));
  trials.Bind(number);
  std::set<TrialPosition> stored;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, trials.Step());
    if (!row) return stored;
    stored.emplace(static_cast<uint32_t>(trials.Int(0)), static_cast<uint32_t>(trials.Int(1)));
  }
}

absl::Status EndRun(Database& database, int64_t number, const v1::Result& result,
                    const std::string& packed_head, const std::vector<std::string>& packed_summaries) {
  TUTTI_ASSIGN_OR_RETURN(Statement head,
                         database.Prepare("INSERT OR REPLACE INTO heads (number, head) VALUES (?, ?)"));
  TUTTI_RETURN_IF_ERROR(head.Bind(number).BindBlob(packed_head).Run());
  for (size_t position = 0; position < packed_summaries.size(); ++position) {
    TUTTI_ASSIGN_OR_RETURN(
        Statement summary,
        database.Prepare("INSERT OR REPLACE INTO cases (number, position, summary) VALUES (?, ?, ?)"));
    TUTTI_RETURN_IF_ERROR(
        summary.Bind(number).Bind(static_cast<int64_t>(position)).BindBlob(packed_summaries[position]).Run());
  }
  TUTTI_ASSIGN_OR_RETURN(
      Statement run,
      database.Prepare(
          "UPDATE runs SET ended = 1, status = ?1, exit_code = ?2, started_unix_ns = ?3, finished_unix_ns = "
          "?4, "
          "stored_bytes = (SELECT length(head) FROM heads WHERE number = ?5) "
          "+ (SELECT coalesce(sum(length(summary)), 0) FROM cases WHERE number = ?5) "
          "+ (SELECT coalesce(sum(length(trial)), 0) FROM trials WHERE number = ?5) WHERE number = ?5"));
  return run.Bind(static_cast<int64_t>(result.status()))
      .Bind(int64_t{result.exit_code()})
      .Bind(UnlessZero(result.started_unix_ns()))
      .Bind(UnlessZero(result.finished_unix_ns()))
      .Bind(number)
      .Run();
}

absl::StatusOr<v1::Result> ReadRun(Database& database, const std::string& run_id, LeavesOut leaves_out) {
  Damage damage;
  TUTTI_ASSIGN_OR_RETURN(NumberedRun read, ReadHeadAndNumber(database, run_id, damage));
  v1::Result& result = read.run.head;
  const std::string context = absl::StrCat("read run ", run_id);
  TUTTI_RETURN_IF_ERROR(Annotate(ReadCases(database, read.number, result, damage), context));
  TUTTI_RETURN_IF_ERROR(Annotate(NoteMissingCases(database, read, damage), context));
  TUTTI_RETURN_IF_ERROR(Annotate(ReadTrials(database, read.number, leaves_out, result, damage), context));
  damage.AddTo(result);
  return std::move(result);
}

absl::StatusOr<KeptRun> ReadHead(Database& database, const std::string& run_id) {
  Damage damage;
  TUTTI_ASSIGN_OR_RETURN(NumberedRun read, ReadHeadAndNumber(database, run_id, damage));
  TUTTI_RETURN_IF_ERROR(ReadLabels(database, read.number, read.run.summary));
  damage.AddTo(read.run.head);
  return std::move(read.run);
}

absl::StatusOr<std::string> ReadRunOfKey(Database& database, const std::string& key) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement run,
      database.Prepare("SELECT r.run_id FROM idempotency_keys k JOIN runs r ON r.number = k.number "
                       "WHERE k.key = ?"));
  run.BindText(key);
  TUTTI_ASSIGN_OR_RETURN(const bool row, run.Step());
  if (!row) return absl::NotFoundError(absl::StrCat("no run has the idempotency key \"", key, "\""));
  return run.Text(0);
}

absl::StatusOr<v1::ListRunsResponse> ReadList(Database& database, const v1::ListRunsRequest& request) {
  TUTTI_ASSIGN_OR_RETURN(const ListQuery query, MakeListQuery(request));
  TUTTI_ASSIGN_OR_RETURN(Statement runs, database.Prepare(query.sql));
  for (const std::variant<int64_t, std::string>& value : query.values) {
    if (const auto* number = std::get_if<int64_t>(&value)) runs.Bind(*number);
    if (const auto* text = std::get_if<std::string>(&value)) runs.BindText(*text);
  }
  v1::ListRunsResponse response;
  int64_t last = 0;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, runs.Step());
    if (!row) return response;
    if (response.runs_size() == static_cast<int>(query.page_runs)) {
      response.set_next_page_token(PageToken(last));
      return response;
    }
    last = runs.Int(kNumber);
    *response.add_runs() = SummaryOfRow(runs);
    TUTTI_RETURN_IF_ERROR(ReadLabels(database, last, *response.mutable_runs(response.runs_size() - 1)));
  }
}

absl::StatusOr<std::vector<EndedRun>> ReadEnded(Database& database) {
  TUTTI_ASSIGN_OR_RETURN(
      Statement runs,
      database.Prepare("SELECT run_id, coalesce(finished_unix_ns, submitted_unix_ns), stored_bytes "
                       "FROM runs WHERE ended = 1 ORDER BY number"));
  std::vector<EndedRun> ended;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, runs.Step());
    if (!row) return ended;
    ended.push_back({runs.Text(0), runs.Int(1), static_cast<uint64_t>(runs.Int(2))});
  }
}

absl::StatusOr<std::vector<std::string>> ReadUnfinished(Database& database) {
  TUTTI_ASSIGN_OR_RETURN(Statement runs,
                         database.Prepare("SELECT run_id FROM runs WHERE ended = 0 ORDER BY number"));
  std::vector<std::string> ids;
  while (true) {
    TUTTI_ASSIGN_OR_RETURN(const bool row, runs.Step());
    if (!row) return ids;
    ids.push_back(runs.Text(0));
  }
}

}  // namespace tutti::store
