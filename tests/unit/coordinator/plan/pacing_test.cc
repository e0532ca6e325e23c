// Rates, who keeps them, and the marks and ports that go with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "coordinator/plan/plan_loader.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

tutti::v1::TrafficEntry EntryOf(const std::string& lines, const std::string& protocol = "udp") {
  const absl::StatusOr<tutti::v1::Plan> plan = LoadValidPlan(MinimalPlan(lines, "", protocol), "p.yaml", {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->cases(0).traffic(0) : tutti::v1::TrafficEntry();
}

TEST(Pacing, MessagesPerSecondAreExactlyThatManyMessages) {
  EXPECT_EQ(EntryOf("    rate: 5000pps\n").rate_bps(), 58'880'000u);  // 5000 x 1472 x 8
  EXPECT_EQ(EntryOf("    rate: 1.5Kpps\n    message_size: 100B\n").rate_bps(), 1'200'000u);
  EXPECT_EQ(EntryOf("    rate: 1pps\n    message_size: 256MiB\n", "tcp").rate_bps(), 2'147'483'648u);
}

TEST(Pacing, TwoSpellingsOfOneRateAreOneCase) {
  const std::string entry = "    rate: ${rate}\n";
  EXPECT_THAT(Errors(MinimalPlan(entry, "matrix: {rate: [1000pps, 11776Kbps]}\n")),
              HasSubstr("\"11776Kbps\" means the same as \"1000pps\""));
}

TEST(Pacing, HasTheUsualMannerWhereThePlanSaysNothing) {
  const tutti::v1::Pacing pacing = EntryOf("    rate: 1Mbps\n").pacing();
  EXPECT_EQ(pacing.keeper(), tutti::v1::Pacing::KEEPER_TUTTI);
  EXPECT_EQ(pacing.catch_up_ns(), 10'000'000);
  EXPECT_EQ(pacing.burst(), 1u);
  EXPECT_FALSE(pacing.spin());
  EXPECT_FALSE(EntryOf("").has_pacing());
}

TEST(Pacing, TakesEveryManner) {
  const tutti::v1::Pacing spin =
      EntryOf("    rate: 1Mbps\n    pacing: spin\n    burst: 64\n    catch_up: 0ms\n").pacing();
  EXPECT_TRUE(spin.spin());
  EXPECT_EQ(spin.burst(), 64u);
  EXPECT_EQ(spin.catch_up_ns(), 0);
  EXPECT_EQ(EntryOf("    rate: 1Mbps\n    pacing: kernel\n", "tcp").pacing().keeper(),
            tutti::v1::Pacing::KEEPER_KERNEL);
}

TEST(Pacing, TheEcnFieldGoesByItsName) {
  EXPECT_EQ(EntryOf("    ecn: not_ect\n").marks().ecn(), tutti::v1::ECN_NOT_ECT);
  EXPECT_EQ(EntryOf("    ecn: ect0\n").marks().ecn(), tutti::v1::ECN_ECT0);
  EXPECT_EQ(EntryOf("    ecn: ect1\n").marks().ecn(), tutti::v1::ECN_ECT1);
  EXPECT_EQ(EntryOf("    ecn: ce\n").marks().ecn(), tutti::v1::ECN_CE);
  EXPECT_FALSE(EntryOf("    priority: 3\n").marks().has_ecn());
}

struct RefusedLines {
  const char* lines;
  const char* says;
  const char* protocol = "udp";
};
void PrintTo(const RefusedLines& refused, std::ostream* out) { *out << refused.lines; }

class RefusedPacing : public ::testing::TestWithParam<RefusedLines> {};
TEST_P(RefusedPacing, SaysWhatToWrite) {
  const std::string errors = Errors(MinimalPlan(GetParam().lines, "", GetParam().protocol));
  EXPECT_THAT(errors, HasSubstr(GetParam().says));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}
INSTANTIATE_TEST_SUITE_P(
    Pacing, RefusedPacing,
    ::testing::Values(
        RefusedLines{"    rate: 5kpps\n", "messages per second are written in pps, Kpps or Mpps"},
        RefusedLines{"    rate: 0pps\n", "at least 1pps"},
        RefusedLines{"    rate: 2000Mpps\n", "at most 1000Mpps"},
        RefusedLines{"    rate: 0.5pps\n", "not a whole number of pps"},
        RefusedLines{"    rate: 100Mpps\n    message_size: 64KiB\n", "p.yaml:11:11: traffic[0].rate: is ",
                     "tcp"},
        RefusedLines{"    burst: 4\n",
                     "traffic[0].burst: burst is of streams with a rate: add rate, or remove"},
        RefusedLines{"    catch_up: 1s\n", "catch_up is of streams with a rate"},
        RefusedLines{"    pacing: spin\n", "pacing is of streams with a rate"},
        RefusedLines{"    rate: 1Mbps\n    burst: 0\n", "from 1 to 65536"},
        RefusedLines{"    rate: 1Mbps\n    pacing: kernel\n",
                     "p.yaml:12:13: traffic[0].pacing: kernel paces tcp; udp only where"},
        RefusedLines{"    rate: 1Mbps\n    pacing: kernel\n    burst: 4\n",
                     "burst is not the kernel's to keep", "tcp"},
        RefusedLines{"    rate: 1Mbps\n    pacing: spin\n    threads: per_cpu\n", "from its other streams"},
        RefusedLines{"    send: zerocopy\n    threads: per_cpu\n",
                     "which the streams of a thread per CPU share"},
        RefusedLines{"    bytes: 1MiB\n    threads: per_cpu\n", "is of streams with a thread each"},
        RefusedLines{"    receive_wait: poll\n    threads: per_cpu\n", "waits for all its streams together"},
        RefusedLines{"    ecn: ect0\n", "TCP keeps the ECN field for itself", "tcp"},
        RefusedLines{"    ecn: ect2\n", "did you mean \"ect0\""},
        RefusedLines{"    priority: 16\n", "from 0 to 15"},
        RefusedLines{
            "    source_ports: 5000-5002\n    streams: 4\n",
            "traffic[0].source_ports: ports 5000-5002 are 3, and each host of a sends 4 streams there"}));

TEST(Pacing, SourcePortsOfAFanOutCountAtTheOneSender) {
  const auto with = [](const std::string& ports) {
    return Errors("version: 1\nname: n\nroles: {a: {count: 1}, b: {count: 4}}\ntraffic:\n" +
                  ("  - {from: a, to: b, protocol: tcp, pattern: fan_out, source_ports: " + ports + "}\n"));
  };
  EXPECT_THAT(with("5000-5003"), IsEmpty());
  EXPECT_THAT(with("5000-5002"), HasSubstr("each host of a sends 4 streams there: write a range of 4"));
}

}  // namespace
}  // namespace tutti::plan
