// What the store costs: the first page of a list of 100,000 runs by each filter, the time in which a result
// of 64 streams x 600 s at 100 ms is stored and opened, and what its series take. Prints JSON. usage:
// store_figures FOLDER (on the disk that is meant; it is made, and is left)
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

#include "coordinator/store/column_codec.h"
#include "coordinator/store/sqlite/sqlite_run_store.h"

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

// Plan "rare" every 10,000th run; label commit=c0..c99999, one each, and branch=main for all. Through the
// store each run would be two syncs of the disk.
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

}  // namespace
}  // namespace tutti::store

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: store_figures FOLDER\n");
    return 2;
  }
  return tutti::store::Main(argv[1]);
}
