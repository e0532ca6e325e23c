#include "coordinator/store/sqlite/sqlite_run_store.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/store/column_codec.h"
#include "coordinator/store/compression.h"
#include "coordinator/store/result_parts.h"
#include "coordinator/store/sqlite/drain_rows.h"
#include "coordinator/store/sqlite/event_rows.h"
#include "coordinator/store/sqlite/host_rows.h"
#include "coordinator/store/sqlite/run_rows.h"
#include "coordinator/store/sqlite/schema.h"

namespace tutti::store {
namespace {

namespace v1 = tutti::v1;

absl::StatusOr<std::string> PackWhole(const google::protobuf::Message& message) {
  return Compress(message.SerializeAsString());
}

struct PackedParts {
  std::string head;
  std::vector<std::string> summaries;  // of the cases
};

absl::StatusOr<PackedParts> PackParts(const v1::Result& result) {
  PackedParts parts;
  TUTTI_ASSIGN_OR_RETURN(parts.head, PackWhole(HeadOf(result)));
  for (const v1::CaseResult& each : result.cases()) {
    TUTTI_ASSIGN_OR_RETURN(std::string summary, PackWhole(SummaryOf(each)));
    parts.summaries.push_back(std::move(summary));
  }
  return parts;
}

// Those of `result` that are not in `stored`.
absl::Status InsertMissingTrials(Database& database, int64_t number, const v1::Result& result,
                                 const std::set<TrialPosition>& stored) {
  for (int i = 0; i < result.cases_size(); ++i) {
    for (int j = 0; j < result.cases(i).trials_size(); ++j) {
      const TrialPosition position(static_cast<uint32_t>(i), static_cast<uint32_t>(j));
      if (stored.contains(position)) continue;
      TUTTI_ASSIGN_OR_RETURN(const std::string packed, PackMessage(result.cases(i).trials(j)));
      TUTTI_RETURN_IF_ERROR(InsertTrial(database, number, position, packed));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Database>> OpenTables(const std::string& path) {
  TUTTI_ASSIGN_OR_RETURN(std::unique_ptr<Database> database, Database::OpenWriter(path));
  TUTTI_RETURN_IF_ERROR(Annotate(Migrate(*database), absl::StrCat("database ", path)));
  return database;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SqliteRunStore>> SqliteRunStore::Open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("make folder ", folder));
  TUTTI_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::Take(folder));
  const std::string path = absl::StrCat(folder, "/tutti.db");
  absl::StatusOr<std::unique_ptr<Database>> database = OpenTables(path);
  if (absl::IsDataLoss(database.status())) {
    return absl::DataLossError(absl::StrCat(
        database.status().message(), "; put a copy of it in its place, or move it away to begin anew"));
  }
  if (!database.ok()) return database.status();
  return std::unique_ptr<SqliteRunStore>(new SqliteRunStore(std::move(lock), path, *std::move(database)));
}

absl::Status SqliteRunStore::Begin(const v1::Result& head, const Labels& labels, const std::string& key) {
  TUTTI_ASSIGN_OR_RETURN(const std::string packed, PackWhole(HeadOf(head)));
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  TUTTI_RETURN_IF_ERROR(InsertRun(*writer_, head, labels, key, packed));
  TUTTI_RETURN_IF_ERROR(InsertHosts(*writer_, head));
  return transaction.Commit();
}

absl::Status SqliteRunStore::PutTrial(const std::string& run_id, uint32_t case_position,
                                      uint32_t trial_position, const v1::TrialResult& trial) {
  TUTTI_ASSIGN_OR_RETURN(const std::string packed, PackMessage(trial));
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  TUTTI_ASSIGN_OR_RETURN(const RunRow run, FindRun(*writer_, run_id));
  TUTTI_RETURN_IF_ERROR(InsertTrial(*writer_, run.number, {case_position, trial_position}, packed));
  return transaction.Commit();
}

absl::Status SqliteRunStore::PutEvents(const std::vector<v1::RunEvent>& events) {
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  absl::Status inserted = InsertEvents(*writer_, events);
  if (!inserted.ok() && !absl::IsNotFound(inserted)) return inserted;
  TUTTI_RETURN_IF_ERROR(transaction.Commit());
  return inserted;
}

absl::Status SqliteRunStore::Finish(const v1::Result& result) {
  TUTTI_ASSIGN_OR_RETURN(const PackedParts parts, PackParts(result));
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  TUTTI_ASSIGN_OR_RETURN(const RunRow run, FindRun(*writer_, result.run_id()));
  TUTTI_ASSIGN_OR_RETURN(const std::set<TrialPosition> stored, StoredTrials(*writer_, run.number));
  TUTTI_RETURN_IF_ERROR(InsertMissingTrials(*writer_, run.number, result, stored));
  TUTTI_RETURN_IF_ERROR(EndRun(*writer_, run.number, result, parts.head, parts.summaries));
  return transaction.Commit();
}

absl::Status SqliteRunStore::Delete(const std::string& run_id) {
  MutexLock lock(write_mutex_);
  {
    TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
    TUTTI_ASSIGN_OR_RETURN(const RunRow run, FindRun(*writer_, run_id));
    if (!run.ended) {
      return absl::FailedPreconditionError(absl::StrCat("run ", run_id, " has not ended; cancel it first"));
    }
    TUTTI_ASSIGN_OR_RETURN(Statement removal, writer_->Prepare("DELETE FROM runs WHERE number = ?"));
    TUTTI_RETURN_IF_ERROR(removal.Bind(run.number).Run());
    TUTTI_RETURN_IF_ERROR(transaction.Commit());
  }
  // Gives the pages back to the file system: retention is there for the disk.
  return writer_->Execute("PRAGMA incremental_vacuum");
}

absl::StatusOr<std::unique_ptr<Database>> SqliteRunStore::TakeReader() const {
  {
    MutexLock lock(readers_mutex_);
    if (!idle_readers_.empty()) {
      std::unique_ptr<Database> reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
      return reader;
    }
  }
  return Database::OpenReader(path_);
}

void SqliteRunStore::GiveBack(std::unique_ptr<Database> reader) const {
  MutexLock lock(readers_mutex_);
  idle_readers_.push_back(std::move(reader));
}

template <typename Value, typename Read>
absl::StatusOr<Value> SqliteRunStore::Reading(Read read) const {
  TUTTI_ASSIGN_OR_RETURN(std::unique_ptr<Database> reader, TakeReader());
  absl::StatusOr<Value> value = absl::UnknownError("");
  {
    TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Read(*reader));
    value = read(*reader);
  }
  GiveBack(std::move(reader));
  return value;
}

absl::StatusOr<v1::Result> SqliteRunStore::Get(const std::string& run_id) const {
  return Reading<v1::Result>([&](Database& database) { return ReadRun(database, run_id); });
}

absl::StatusOr<v1::Result> SqliteRunStore::GetWithoutIntervals(const std::string& run_id) const {
  absl::StatusOr<v1::Result> result =
      Reading<v1::Result>([&](Database& database) { return ReadRun(database, run_id, &IsOfIntervals); });
  if (result.ok()) result->set_intervals_left_out(true);
  return result;
}

absl::StatusOr<KeptRun> SqliteRunStore::Describe(const std::string& run_id) const {
  return Reading<KeptRun>([&](Database& database) { return ReadHead(database, run_id); });
}

absl::StatusOr<std::string> SqliteRunStore::RunOfKey(const std::string& key) const {
  return Reading<std::string>([&](Database& database) { return ReadRunOfKey(database, key); });
}

absl::StatusOr<std::vector<v1::RunEvent>> SqliteRunStore::Events(const std::string& run_id) const {
  return Reading<std::vector<v1::RunEvent>>([&](Database& database) { return ReadEvents(database, run_id); });
}

absl::StatusOr<v1::ListRunsResponse> SqliteRunStore::List(const v1::ListRunsRequest& request) const {
  return Reading<v1::ListRunsResponse>([&](Database& database) { return ReadList(database, request); });
}

absl::StatusOr<std::vector<std::string>> SqliteRunStore::Unfinished() const {
  return Reading<std::vector<std::string>>(&ReadUnfinished);
}

absl::StatusOr<std::vector<EndedRun>> SqliteRunStore::Ended() const {
  return Reading<std::vector<EndedRun>>(&ReadEnded);
}

absl::Status SqliteRunStore::PutDrain(const std::string& worker, const v1::DrainMark& mark) {
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  TUTTI_RETURN_IF_ERROR(PutDrainRow(*writer_, worker, mark));
  return transaction.Commit();
}

absl::Status SqliteRunStore::RemoveDrain(const std::string& worker) {
  MutexLock lock(write_mutex_);
  TUTTI_ASSIGN_OR_RETURN(Transaction transaction, Transaction::Write(*writer_));
  TUTTI_RETURN_IF_ERROR(DeleteDrainRow(*writer_, worker));
  return transaction.Commit();
}

absl::StatusOr<std::map<std::string, v1::DrainMark>> SqliteRunStore::Drains() const {
  return Reading<std::map<std::string, v1::DrainMark>>(&ReadDrains);
}

}  // namespace tutti::store
