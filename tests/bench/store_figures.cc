// What the store costs without a coordinator around it. Prints JSON. FOLDER is on the disk that is meant; it
// is made, and is left.
//
// store_figures FOLDER: the first page of a list of 100,000 runs by each filter, the time in which a made-up
// result of 64 streams x 600 s at 100 ms is stored and opened, and what its series take.
//
// store_figures fill FOLDER: makes the 100,000 runs and nothing else, for a coordinator.
//
// store_figures read FOLDER RUN: bytes for each sample of a kept run's byte counters, and the time in which
// it is read, whoever has the folder.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/store/column_codec.h"
#include "coordinator/store/sqlite/database.h"
#include "coordinator/store/sqlite/run_rows.h"
#include "coordinator/store/sqlite/sqlite_run_store.h"
#include "coordinator/store/sqlite/statement.h"
#include "tutti/v1/result.pb.h"

namespace tutti::store {
namespace {

constexpr int kRounds = 25;
constexpr int kStreams = 64;
constexpr int kIntervals = 6000;

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "store_figures: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

double MedianMs(const std::function<void()>& measured, int rounds = kRounds) {
  std::vector<double> times_ms;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    measured();
    times_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times_ms.begin(), times_ms.end());
  return times_ms[times_ms.size() / 2];
}

// Plan "rare" every 10,000th run; label commit=c1..c100000, one each, and branch=main for all; two of 50
// hosts each. Through the store each run would be two syncs of the disk.
void Fill(const std::string& path) {
  const auto database = Database::OpenWriter(path);
  Require(database.status());
  Require((*database)->Execute(
      "BEGIN;"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
      "INSERT INTO runs (run_id, ended, status, exit_code, plan_name, user, submitted_unix_ns, "
      "started_unix_ns, "
      "finished_unix_ns, lab, insecure, cases, stored_bytes) SELECT printf('20261130-%06d-3fa1', i), 1, 2 + "
      "i % 3, 0, "
      "CASE WHEN i % 10000 = 0 THEN 'rare' ELSE printf('plan-%d', i % 20) END, printf('user%d@lab7', i % "
      "10), "
      "i * 1000000000, i * 1000000000, i * 1000000000, 0, 0, 8, 100000 FROM n;"
      "INSERT INTO labels (key, value, number) SELECT 'branch', 'main', number FROM runs;"
      "INSERT INTO labels (key, value, number) SELECT 'commit', printf('c%d', number), number FROM runs;"
      "INSERT INTO hosts (name, number, fingerprint, kernel) SELECT printf('host%d', number % 50), number, "
      "printf('%016x', number % 50), '6.18.4' FROM runs;"
      "INSERT INTO hosts (name, number, fingerprint, kernel) SELECT printf('host%d', (number + 1) % 50), "
      "number, printf('%016x', (number + 1) % 50), '6.18.4' FROM runs;"
      "COMMIT"));
}

void PrintLists(const RunStore& store) {
  using Request = tutti::v1::ListRunsRequest;
  const std::vector<std::pair<const char*, std::function<void(Request&)>>> lists = {
      {"all", [](Request&) {}},
      {"common plan", [](Request& request) { request.set_plan_name("plan-7"); }},
      {"rare plan", [](Request& request) { request.set_plan_name("rare"); }},
      {"rare plan and status",
       [](Request& request) {
         request.set_plan_name("rare");
         request.set_status(tutti::v1::RUN_STATUS_PASSED);
       }},
      {"no such plan", [](Request& request) { request.set_plan_name("none"); }},
      {"status", [](Request& request) { request.set_status(tutti::v1::RUN_STATUS_PASSED); }},
      {"common label", [](Request& request) { (*request.mutable_labels())["branch"] = "main"; }},
      {"rare label", [](Request& request) { (*request.mutable_labels())["commit"] = "c77"; }},
      {"two labels",
       [](Request& request) {
         (*request.mutable_labels())["branch"] = "main";
         (*request.mutable_labels())["commit"] = "c77";
       }},
      {"host", [](Request& request) { request.set_host("host7"); }},
      {"the oldest by time", [](Request& request) { request.set_until_unix_ns(60'000'000'000); }},
      {"text that one run has", [](Request& request) { request.set_text("000077"); }},
      {"text that no run has", [](Request& request) { request.set_text("nowhere"); }},
  };
  for (const auto& [name, fill] : lists) {
    Request request;
    fill(request);
    const double ms = MedianMs([&] { Require(store.List(request).status()); });
    std::printf("  \"list, %s, ms\": %.3f,\n", name, ms);
  }
}

// TCP at 10 Gbps over all streams; each interval is 5% off either way.
tutti::v1::Result LargeResult() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> wander(0.95, 1.05);
  tutti::v1::Result result;
  result.set_run_id("large");
  tutti::v1::TrialResult& trial = *result.add_cases()->add_trials();
  for (int i = 0; i < kStreams; ++i) {
    tutti::v1::StreamResult& stream = *trial.add_streams();
    tutti::v1::TcpSeries& tcp = *stream.mutable_tcp_series();
    for (int j = 0; j < kIntervals; ++j) {
      const auto bytes = static_cast<uint64_t>(125e6 / kStreams * wander(random));
      stream.add_sent_bytes_intervals(bytes / 131072 * 131072);
      stream.add_received_bytes_intervals(bytes);
      tcp.add_retransmits(static_cast<uint64_t>(j / 100));
      tcp.add_rtt_us(200 + random() % 100);
      tcp.add_cwnd_segments(100 + random() % 20);
      tcp.add_delivery_rate_bytes_per_s(bytes * 10);
      tcp.add_busy_us(100'000 * static_cast<uint64_t>(j));
      tcp.add_rwnd_limited_us(0);
      tcp.add_sndbuf_limited_us(0);
    }
  }
  return result;
}

void PrintLarge(RunStore& store) {
  const tutti::v1::Result result = LargeResult();
  tutti::v1::TrialResult counters;
  for (const tutti::v1::StreamResult& stream : result.cases(0).trials(0).streams()) {
    *counters.add_streams()->mutable_received_bytes_intervals() = stream.received_bytes_intervals();
  }
  const absl::StatusOr<std::string> packed = PackMessage(counters);
  Require(packed.status());
  std::printf("  \"received bytes, stored bytes per sample\": %.3f,\n",
              static_cast<double>(packed->size()) / (kStreams * kIntervals));
  Require(store.Begin(result, {}, ""));
  std::printf("  \"large result, stored in, ms\": %.1f,\n",
              MedianMs([&] { Require(store.PutTrial("large", 0, 0, result.cases(0).trials(0))); }, 1));
  Require(store.Finish(result));
  std::printf("  \"large result, opened in, ms\": %.1f\n",
              MedianMs([&] { Require(store.Get("large").status()); }));
}

int Main(const std::string& folder) {
  const absl::StatusOr<std::unique_ptr<SqliteRunStore>> store = SqliteRunStore::Open(folder);
  Require(store.status());
  Fill(folder + "/tutti.db");
  std::printf("{\n");
  PrintLists(**store);
  PrintLarge(**store);
  std::printf("}\n");
  return 0;
}

int FillOnly(const std::string& folder) {
  // Makes the tables.
  Require(SqliteRunStore::Open(folder).status());
  Fill(folder + "/tutti.db");
  return 0;
}

// --- read ---------------------------------------------------------------------------------------

// Takes the samples of one byte counter out of a trial; how many there were.
using TakeOut = std::function<int(tutti::v1::TrialResult&)>;

TakeOut OfStreams(const std::string& entry, bool sent) {
  return [entry, sent](tutti::v1::TrialResult& trial) {
    int samples = 0;
    for (tutti::v1::StreamResult& stream : *trial.mutable_streams()) {
      if (stream.flow().entry() != entry) continue;
      auto& series =
          sent ? *stream.mutable_sent_bytes_intervals() : *stream.mutable_received_bytes_intervals();
      samples += series.size();
      series.Clear();
    }
    return samples;
  };
}

TakeOut OfEntries(bool sent) {
  return [sent](tutti::v1::TrialResult& trial) {
    int samples = 0;
    for (tutti::v1::EntryResult& entry : *trial.mutable_entries()) {
      auto& series = sent ? *entry.mutable_sent_bytes_intervals() : *entry.mutable_received_bytes_intervals();
      samples += series.size();
      series.Clear();
    }
    return samples;
  };
}

TakeOut OfHosts(bool sent) {
  return [sent](tutti::v1::TrialResult& trial) {
    int samples = 0;
    for (tutti::v1::TimelineInterval& interval : *trial.mutable_timeline()) {
      for (tutti::v1::HostInterval& host : *interval.mutable_hosts()) {
        if (sent) {
          samples += host.has_sent_bytes() ? 1 : 0;
          host.clear_sent_bytes();
        } else {
          samples += host.has_received_bytes() ? 1 : 0;
          host.clear_received_bytes();
        }
      }
    }
    return samples;
  };
}

std::vector<std::pair<std::string, TakeOut>> CountersOf(const tutti::v1::TrialResult& trial) {
  std::vector<std::pair<std::string, TakeOut>> counters;
  for (const bool sent : {true, false}) {
    const std::string what = sent ? ", sent" : ", received";
    for (const tutti::v1::EntryResult& entry : trial.entries()) {
      counters.emplace_back("streams of " + entry.entry() + what, OfStreams(entry.entry(), sent));
    }
    counters.emplace_back("entries" + what, OfEntries(sent));
    counters.emplace_back("hosts" + what, OfHosts(sent));
  }
  return counters;
}

int64_t StoredTrialBytes(Database& database, const std::string& run_id) {
  absl::StatusOr<Statement> stored = database.Prepare(
      "SELECT sum(length(t.trial)) FROM trials t JOIN runs r ON r.number = t.number "
      "WHERE r.run_id = ?");
  Require(stored.status());
  stored->BindText(run_id);
  const absl::StatusOr<bool> row = stored->Step();
  Require(row.status());
  return *row ? stored->Int(0) : 0;
}

// A counter takes by how much the stored trial is larger than the same trial without it: all lie in one
// frame.
void PrintCounters(const tutti::v1::TrialResult& trial, int64_t stored_bytes) {
  std::printf("  \"counters\": {\n");
  const std::vector<std::pair<std::string, TakeOut>> counters = CountersOf(trial);
  for (size_t i = 0; i < counters.size(); ++i) {
    tutti::v1::TrialResult without = trial;
    const int samples = counters[i].second(without);
    const absl::StatusOr<std::string> packed = PackMessage(without);
    Require(packed.status());
    std::printf("    \"%s\": {\"samples\": %d, \"bytes\": %lld}%s\n", counters[i].first.c_str(), samples,
                static_cast<long long>(stored_bytes) - static_cast<long long>(packed->size()),
                i + 1 < counters.size() ? "," : "");
  }
  std::printf("  },\n");
}

int Read(const std::string& folder, const std::string& run_id) {
  const absl::StatusOr<std::unique_ptr<Database>> database = Database::OpenReader(folder + "/tutti.db");
  Require(database.status());
  const absl::StatusOr<tutti::v1::Result> result = ReadRun(**database, run_id);
  Require(result.status());
  if (result->cases_size() != 1 || result->cases(0).trials_size() != 1) {
    std::fprintf(stderr, "store_figures: %s has not one case with one trial\n", run_id.c_str());
    return 1;
  }
  const tutti::v1::TrialResult& trial = result->cases(0).trials(0);
  const int64_t stored_bytes = StoredTrialBytes(**database, run_id);
  std::printf("{\n  \"streams\": %d,\n  \"intervals\": %d,\n  \"stored_bytes\": %lld,\n",
              trial.streams_size(), trial.timeline_size(), static_cast<long long>(stored_bytes));
  PrintCounters(trial, stored_bytes);
  std::printf("  \"read_ms\": %.2f\n}\n", MedianMs([&] { Require(ReadRun(**database, run_id).status()); }));
  return 0;
}

}  // namespace
}  // namespace tutti::store

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return tutti::store::Main(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "fill") return tutti::store::FillOnly(arguments[1]);
  if (arguments.size() == 3 && arguments[0] == "read") return tutti::store::Read(arguments[1], arguments[2]);
  std::fprintf(stderr,
               "usage: store_figures FOLDER | store_figures fill FOLDER | store_figures read FOLDER RUN\n");
  return 2;
}
