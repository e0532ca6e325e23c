// A folder of state that is gone after the test, and results to put there.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "coordinator/store/sqlite/sqlite_run_store.h"
#include "tests/unit/temporary_folder.h"
#include "tutti/v1/result.pb.h"

namespace tutti::store {

class StateFolderTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteRunStore> Open() {
    absl::StatusOr<std::unique_ptr<SqliteRunStore>> store = SqliteRunStore::Open(folder_.path().string());
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }
  std::string DatabasePath() const { return (folder_ / "tutti.db").string(); }

  // Two cases in its plan, none run yet.
  static tutti::v1::Result Head(const std::string& run_id, const std::string& plan = "p",
                                int64_t submitted_ns = 1000) {
    tutti::v1::Result head;
    head.set_schema_version(1);
    head.set_run_id(run_id);
    head.set_user("alice@lab7");
    head.set_submitted_unix_ns(submitted_ns);
    head.mutable_plan()->set_name(plan);
    head.mutable_plan()->add_cases();
    head.mutable_plan()->add_cases()->set_index(1);
    return head;
  }
  static tutti::v1::Result Ended(tutti::v1::Result head,
                                 tutti::v1::RunStatus status = tutti::v1::RUN_STATUS_PASSED) {
    head.set_status(status);
    head.set_exit_code(status == tutti::v1::RUN_STATUS_PASSED ? 0 : 7);
    head.set_started_unix_ns(head.submitted_unix_ns() + 1);
    head.set_finished_unix_ns(head.submitted_unix_ns() + 2);
    return head;
  }
  static tutti::v1::TrialResult Trial(uint32_t repetition) {
    tutti::v1::TrialResult trial;
    trial.set_repetition(repetition);
    trial.set_status(tutti::v1::TRIAL_STATUS_GOOD);
    trial.add_streams()->add_sent_bytes_intervals(1472 * repetition);
    return trial;
  }

  const TemporaryFolder folder_;
};

}  // namespace tutti::store
