// The runs of a coordinator, and which workers it has drained, in a SQLite database: FOLDER/tutti.db.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/sync/thread_annotations.h"
#include "coordinator/store/drain_store.h"
#include "coordinator/store/folder_lock.h"
#include "coordinator/store/run_store.h"
#include "coordinator/store/sqlite/database.h"

namespace tutti::store {

// Thread-safe. One connection writes; each call that reads has one of its own, so that it sees one state of
// the database and neither waits for the writer nor holds it up. Lock order: neither mutex is taken with the
// other held.
class SqliteRunStore final : public RunStore, public DrainStore {
 public:
  // Makes the folder and the database where they are missing, brings the tables up to date and holds the
  // folder's lock until the end. FailedPrecondition: another coordinator has the folder, a newer tutti or
  // another program has written the file. DataLoss: it is no database, or was cut off. PermissionDenied and
  // others as the file system says.
  static absl::StatusOr<std::unique_ptr<SqliteRunStore>> Open(const std::string& folder);

  absl::Status Begin(const tutti::v1::Result& head, const Labels& labels, const std::string& key) override;
  absl::Status PutTrial(const std::string& run_id, uint32_t case_position, uint32_t trial_position,
                        const tutti::v1::TrialResult& trial) override;
  absl::Status PutEvents(const std::vector<tutti::v1::RunEvent>& events) override;
  absl::Status Finish(const tutti::v1::Result& result) override;
  absl::StatusOr<tutti::v1::Result> Get(const std::string& run_id) const override;
  absl::StatusOr<tutti::v1::Result> GetWithoutIntervals(const std::string& run_id) const override;
  absl::StatusOr<KeptRun> Describe(const std::string& run_id) const override;
  absl::StatusOr<std::string> RunOfKey(const std::string& key) const override;
  absl::StatusOr<std::vector<tutti::v1::RunEvent>> Events(const std::string& run_id) const override;
  absl::StatusOr<tutti::v1::ListRunsResponse> List(const tutti::v1::ListRunsRequest& request) const override;
  absl::StatusOr<std::vector<std::string>> Unfinished() const override;
  absl::StatusOr<std::vector<EndedRun>> Ended() const override;
  absl::Status Delete(const std::string& run_id) override;

  absl::Status PutDrain(const std::string& worker, const tutti::v1::DrainMark& mark) override;
  absl::Status RemoveDrain(const std::string& worker) override;
  absl::StatusOr<std::map<std::string, tutti::v1::DrainMark>> Drains() const override;

 private:
  SqliteRunStore(FolderLock lock, std::string path, std::unique_ptr<Database> writer)
      : lock_(std::move(lock)), path_(std::move(path)), writer_(std::move(writer)) {}

  // Takes an idle connection, or opens one.
  absl::StatusOr<std::unique_ptr<Database>> TakeReader() const;
  void GiveBack(std::unique_ptr<Database> reader) const;
  // Runs `read` in a transaction of a reader.
  template <typename Value, typename Read>
  absl::StatusOr<Value> Reading(Read read) const;

  const FolderLock lock_;
  const std::string path_;
  Mutex write_mutex_;
  const std::unique_ptr<Database> writer_ TUTTI_PT_GUARDED_BY(write_mutex_);
  mutable Mutex readers_mutex_;
  mutable std::vector<std::unique_ptr<Database>> idle_readers_ TUTTI_GUARDED_BY(readers_mutex_);
};

}  // namespace tutti::store
