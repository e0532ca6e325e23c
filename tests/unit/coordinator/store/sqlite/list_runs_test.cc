// Lists: what is found, page by page, and how SQLite goes about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "coordinator/store/sqlite/list_query.h"
#include "coordinator/store/sqlite/sqlite_run_store.h"
#include "tests/unit/coordinator/store/sqlite/state_folder.h"

namespace tutti::store {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using tutti::v1::ListRunsRequest;

// Submitted at 1, 2, 3 and 4 us:
//   r1 incast   passed   commit=a branch=main
//   r2 stream   partial  commit=b branch=main
//   r3 incast   running  commit=b branch=dev
//   r4 100%_up  passed
// r1 ran on hosts h1 (kernel 6.18.1, alike) and h2 (the same), r2 on h2 (6.18.2), r3 on h1 (6.1.0), r4 on
// none.
class ListRunsTest : public StateFolderTest {
 protected:
  void SetUp() override {
    store_ = Open();
    ASSERT_NE(store_, nullptr);
    Add(On(On(Head("r1", "incast", 1000), "h1", "6.18.1", "alike"), "h2", "6.18.1", "alike"),
        {{"commit", "a"}, {"branch", "main"}}, tutti::v1::RUN_STATUS_PASSED);
    Add(On(Head("r2", "stream", 2000), "h2", "6.18.2", "f2"), {{"commit", "b"}, {"branch", "main"}},
        tutti::v1::RUN_STATUS_PARTIAL);
    Add(On(Head("r3", "incast", 3000), "h1", "6.1.0", "f3"), {{"commit", "b"}, {"branch", "dev"}},
        tutti::v1::RUN_STATUS_RUNNING);
    Add(Head("r4", "100%_up", 4000), {}, tutti::v1::RUN_STATUS_PASSED);
  }
  static tutti::v1::Result On(tutti::v1::Result head, const std::string& host, const std::string& kernel,
                              const std::string& fingerprint) {
    tutti::v1::Host& added = *head.add_hosts();
    added.set_name(host);
    added.mutable_facts()->set_kernel_release(kernel);
    added.mutable_facts()->set_fingerprint(fingerprint);
    return head;
  }
  void Add(const tutti::v1::Result& head, const Labels& labels, tutti::v1::RunStatus status) {
    ASSERT_TRUE(store_->Begin(head, labels, "").ok());
    if (status != tutti::v1::RUN_STATUS_RUNNING) {
      ASSERT_TRUE(store_->Finish(Ended(head, status)).ok());
    }
  }
  std::vector<std::string> Ids(const ListRunsRequest& request) {
    const auto runs = store_->List(request);
    EXPECT_TRUE(runs.ok()) << runs.status();
    std::vector<std::string> ids;
    for (int i = 0; runs.ok() && i < runs->runs_size(); ++i) ids.push_back(runs->runs(i).run_id());
    return ids;
  }

  std::unique_ptr<SqliteRunStore> store_;
};

TEST_F(ListRunsTest, TheNewestComesFirst) { EXPECT_THAT(Ids({}), ElementsAre("r4", "r3", "r2", "r1")); }

TEST_F(ListRunsTest, ALineSaysWhatIsKnownAndNothingElse) {
  const auto runs = store_->List({});
  ASSERT_TRUE(runs.ok());
  const tutti::v1::RunSummary& partial = runs->runs(2);
  EXPECT_EQ(partial.status(), tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_EQ(partial.exit_code(), 7);
  EXPECT_EQ(partial.plan_name(), "stream");
  EXPECT_EQ(partial.user(), "alice@lab7");
  EXPECT_EQ(partial.submitted_unix_ns(), 2000);
  EXPECT_EQ(partial.started_unix_ns(), 2001);
  EXPECT_EQ(partial.finished_unix_ns(), 2002);
  EXPECT_EQ(partial.cases(), 2u);
  EXPECT_EQ(partial.labels().at("branch"), "main");
  EXPECT_GT(partial.stored_bytes(), 0u);
  const tutti::v1::RunSummary& running = runs->runs(1);
  EXPECT_EQ(running.status(), tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_FALSE(running.has_exit_code());
  EXPECT_FALSE(running.has_started_unix_ns());
  EXPECT_FALSE(running.has_finished_unix_ns());
}

TEST_F(ListRunsTest, EachFilterFindsItsRuns) {
  ListRunsRequest request;
  request.set_plan_name("incast");
  EXPECT_THAT(Ids(request), ElementsAre("r3", "r1"));
  request.set_status(tutti::v1::RUN_STATUS_PASSED);
  EXPECT_THAT(Ids(request), ElementsAre("r1"));
  request.Clear();
  request.set_status(tutti::v1::RUN_STATUS_PASSED);
  EXPECT_THAT(Ids(request), ElementsAre("r4", "r1"));
  request.Clear();
  request.set_since_unix_ns(2000);
  request.set_until_unix_ns(4000);
  EXPECT_THAT(Ids(request), ElementsAre("r3", "r2"));
}

TEST_F(ListRunsTest, LabelsFindRunsAloneAndTogether) {
  ListRunsRequest request;
  (*request.mutable_labels())["commit"] = "b";
  EXPECT_THAT(Ids(request), ElementsAre("r3", "r2"));
  (*request.mutable_labels())["branch"] = "main";
  EXPECT_THAT(Ids(request), ElementsAre("r2"));
  request.set_plan_name("incast");
  EXPECT_THAT(Ids(request), IsEmpty());
}

TEST_F(ListRunsTest, HostsFindTheirRunsEachOnce) {
  ListRunsRequest request;
  request.set_host("h1");
  EXPECT_THAT(Ids(request), ElementsAre("r3", "r1"));
  request.set_host("h");
  EXPECT_THAT(Ids(request), IsEmpty());
  request.Clear();
  request.set_fingerprint("alike");  // two hosts of r1
  EXPECT_THAT(Ids(request), ElementsAre("r1"));
  request.set_plan_name("stream");
  EXPECT_THAT(Ids(request), IsEmpty());
}

TEST_F(ListRunsTest, OneHostHasToHaveAllThatIsAskedOfIt) {
  ListRunsRequest request;
  request.set_host("h1");
  request.set_kernel("6.18*");
  EXPECT_THAT(Ids(request), ElementsAre("r1"));
  request.set_fingerprint("f3");
  EXPECT_THAT(Ids(request), IsEmpty());
  (*request.mutable_labels())["branch"] = "main";
  request.clear_fingerprint();
  EXPECT_THAT(Ids(request), ElementsAre("r1"));
}

TEST_F(ListRunsTest, AKernelIsGivenWholeOrByAStar) {
  ListRunsRequest request;
  request.set_kernel("6.18.2");
  EXPECT_THAT(Ids(request), ElementsAre("r2"));
  request.set_kernel("6.18.1");  // two hosts of r1
  EXPECT_THAT(Ids(request), ElementsAre("r1"));
  request.set_plan_name("stream");
  EXPECT_THAT(Ids(request), IsEmpty());
  request.clear_plan_name();
  request.set_kernel("6.18*");
  EXPECT_THAT(Ids(request), ElementsAre("r2", "r1"));
  request.set_kernel("6.1");
  EXPECT_THAT(Ids(request), IsEmpty());
  for (const char* no_pattern : {"6.1?.1", "6.18.[12]"}) {
    request.set_kernel(no_pattern);
    EXPECT_THAT(Ids(request), IsEmpty()) << no_pattern;
  }
}

TEST_F(ListRunsTest, TextIsFoundInIdPlanAndUserAndIsNoPattern) {
  ListRunsRequest request;
  request.set_text("CAST");
  EXPECT_THAT(Ids(request), ElementsAre("r3", "r1"));
  request.set_text("r2");
  EXPECT_THAT(Ids(request), ElementsAre("r2"));
  request.set_text("@lab");
  EXPECT_THAT(Ids(request), ElementsAre("r4", "r3", "r2", "r1"));
  request.set_text("0%_");
  EXPECT_THAT(Ids(request), ElementsAre("r4"));
  request.set_text("a%t");
  EXPECT_THAT(Ids(request), IsEmpty());
}

TEST_F(ListRunsTest, PagesFollowEachOtherWhileRunsComeAndGo) {
  ListRunsRequest request;
  request.set_page_runs(2);
  const auto first = store_->List(request);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->runs(1).run_id(), "r3");
  ASSERT_FALSE(first->next_page_token().empty());
  Add(Head("r5"), {}, tutti::v1::RUN_STATUS_PASSED);
  ASSERT_TRUE(store_->Delete("r4").ok());
  request.set_page_token(first->next_page_token());
  const auto second = store_->List(request);
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->runs_size(), 2);
  EXPECT_EQ(second->runs(0).run_id(), "r2");
  EXPECT_EQ(second->runs(1).run_id(), "r1");
  EXPECT_EQ(second->next_page_token(), "");
}

TEST_F(ListRunsTest, ATokenThatNoListHasGivenIsRefused) {
  for (const char* token : {"x", "-1", "0", "1 OR 1=1", "99999999999999999999", "01"}) {
    ListRunsRequest request;
    request.set_page_token(token);
    EXPECT_EQ(store_->List(request).status().code(), absl::StatusCode::kInvalidArgument) << token;
  }
}

// Beyond what SQLite's LIKE and its expressions take.
TEST_F(ListRunsTest, FiltersThatAreTooLargeAreRefused) {
  ListRunsRequest text;
  text.set_text(std::string(60'000, 'x'));
  EXPECT_EQ(store_->List(text).status().code(), absl::StatusCode::kInvalidArgument);
  text.set_text(std::string(4096, '%'));
  EXPECT_THAT(Ids(text), IsEmpty());
  ListRunsRequest labels;
  for (int i = 0; i < 2000; ++i) (*labels.mutable_labels())[std::to_string(i)] = "x";
  EXPECT_EQ(store_->List(labels).status().code(), absl::StatusCode::kInvalidArgument);
  labels.clear_labels();
  for (int i = 0; i < 64; ++i) (*labels.mutable_labels())[std::to_string(i)] = "x";
  EXPECT_THAT(Ids(labels), IsEmpty());
}

TEST_F(ListRunsTest, APageIsNeverLargerThanItsLimit) {
  ListRunsRequest request;
  EXPECT_EQ(MakeListQuery(request)->page_runs, 50u);
  request.set_page_runs(1'000'000);
  EXPECT_EQ(MakeListQuery(request)->page_runs, 1000u);
}

// A line for each table that is gone through.
std::string Explain(Database& database, const std::string& sql) {
  auto explained = database.Prepare("EXPLAIN QUERY PLAN " + sql);
  EXPECT_TRUE(explained.ok()) << explained.status();
  std::string plan;
  while (explained.ok()) {
    const auto row = explained->Step();
    EXPECT_TRUE(row.ok()) << row.status();
    if (!row.ok() || !*row) break;
    plan += explained->Text(3) + "\n";
  }
  return plan;
}

TEST_F(ListRunsTest, AKernelHasItsIndexAndAPatternOfThemIsLookedForInTheIndexOfEachRun) {
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  for (int asked = 0; asked < 32; ++asked) {
    ListRunsRequest request;
    request.set_kernel("6.18.1");
    if ((asked & 1) != 0) request.set_plan_name("incast");
    if ((asked & 2) != 0) request.set_status(tutti::v1::RUN_STATUS_PASSED);
    if ((asked & 4) != 0) request.set_since_unix_ns(1);
    if ((asked & 8) != 0) request.set_text("x");
    if ((asked & 16) != 0) request.set_page_token("3");
    const std::string whole = MakeListQuery(request)->sql;
    EXPECT_THAT(Explain(**database, whole),
                AllOf(ContainsRegex("SEARCH h USING (COVERING )?INDEX hosts_by_kernel"),
                      Not(HasSubstr("TEMP B-TREE"))))
        << whole;
    request.set_kernel("6.18*");
    const std::string pattern = MakeListQuery(request)->sql;
    EXPECT_THAT(Explain(**database, pattern), HasSubstr("SEARCH h USING COVERING INDEX hosts_by_run"))
        << pattern;
  }
}

// Sorting 100,000 runs for a page of 50 would cost more than all the rest.
TEST_F(ListRunsTest, NoListIsSortedWhateverIsAskedFor) {
  const auto database = Database::OpenReader(DatabasePath());
  ASSERT_TRUE(database.ok());
  for (int asked = 0; asked < 512; ++asked) {
    ListRunsRequest request;
    if ((asked & 1) != 0) request.set_plan_name("incast");
    if ((asked & 2) != 0) request.set_status(tutti::v1::RUN_STATUS_PASSED);
    if ((asked & 4) != 0) (*request.mutable_labels())["commit"] = "b";
    if ((asked & 8) != 0) request.set_since_unix_ns(1);
    if ((asked & 16) != 0) request.set_text("x");
    if ((asked & 32) != 0) request.set_page_token("3");
    if ((asked & 64) != 0) request.set_host("h1");
    if ((asked & 128) != 0) request.set_fingerprint("alike");
    if ((asked & 256) != 0) request.set_kernel("6.18*");
    const auto query = MakeListQuery(request);
    ASSERT_TRUE(query.ok());
    const std::string plan = Explain(**database, query->sql);
    EXPECT_THAT(plan, Not(HasSubstr("TEMP B-TREE"))) << query->sql;
    if ((asked & 4) != 0) {
      EXPECT_THAT(plan, HasSubstr("SEARCH l USING PRIMARY KEY")) << query->sql;
    } else if ((asked & 64) != 0) {
      EXPECT_THAT(plan, HasSubstr("SEARCH h USING PRIMARY KEY")) << query->sql;
    } else if ((asked & 128) != 0) {
      EXPECT_THAT(plan, ContainsRegex("SEARCH h USING (COVERING )?INDEX hosts_by_fingerprint")) << query->sql;
    } else if ((asked & 1) != 0) {
      EXPECT_THAT(plan, HasSubstr("USING INDEX runs_by_plan")) << query->sql;
    } else if ((asked & 2) != 0) {
      EXPECT_THAT(plan, HasSubstr("USING INDEX runs_by_status")) << query->sql;
    }
  }
}

}  // namespace
}  // namespace tutti::store
