#include "coordinator/plan/plan_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LoadPlan, FillsDefaults) {
  const tutti::v1::Plan plan = Load(MinimalPlan());
  ASSERT_EQ(plan.cases_size(), 1);
  const tutti::v1::Case& only = plan.cases(0);
  EXPECT_EQ(plan.name(), "minimal");
  EXPECT_EQ(plan.source_name(), "p.yaml");
  EXPECT_EQ(plan.source(), MinimalPlan());
  EXPECT_EQ(only.timing().warmup_ns(), 1'000'000'000);
  EXPECT_EQ(only.timing().measure_ns(), 10'000'000'000);
  EXPECT_EQ(only.timing().cooldown_ns(), 500'000'000);
  EXPECT_EQ(only.timing().interval_ns(), 100'000'000);
  EXPECT_EQ(only.repeat(), 1u);
  EXPECT_FALSE(only.limits().has_overlap_ratio());
  const tutti::v1::TrafficEntry& entry = only.traffic(0);
  EXPECT_EQ(entry.streams(), 1u);
  EXPECT_EQ(entry.pattern(), tutti::v1::PATTERN_PAIRS);
  EXPECT_EQ(entry.message_size_bytes(), 1472u);
  EXPECT_FALSE(entry.has_send_buffer_bytes());
  EXPECT_FALSE(entry.has_nodelay());
  EXPECT_FALSE(entry.has_rate_bps());
  EXPECT_EQ(entry.sender_cpus().kind(), tutti::v1::CpuChoice::KIND_ANY);
  EXPECT_EQ(Load(MinimalPlan("", "", "tcp")).cases(0).traffic(0).message_size_bytes(), 131072u);
}

TEST(LoadPlan, ReadsEveryKeyOfATrafficEntry) {
  const tutti::v1::Plan plan = Load(MinimalPlan(R"(    pattern: pairs
    both_ways: true
    streams: 3
    message_size: 8KiB
    read_size: 1MiB
    socket_buffer: {send: 2MiB, receive: default}
    cpus: {sender: [0, 2, 4-7], receiver: numa:1}
    network: 10.1.0.0/16
    ip: ipv4
    nodelay: true
    congestion: bbr
    mss: 1400B
    dscp: 46
    rate: 2.5Mbps
    ports: 5201-5300
    best_effort: true
)",
                                                "", "tcp"));
  const tutti::v1::TrafficEntry& entry = plan.cases(0).traffic(0);
  EXPECT_EQ(entry.name(), "bulk");
  EXPECT_TRUE(entry.both_ways());
  EXPECT_EQ(entry.streams(), 3u);
  EXPECT_EQ(entry.protocol(), tutti::v1::PROTOCOL_TCP);
  EXPECT_EQ(entry.message_size_bytes(), 8192u);
  EXPECT_EQ(entry.read_size_bytes(), 1048576u);
  EXPECT_EQ(entry.send_buffer_bytes(), 2097152u);
  EXPECT_FALSE(entry.has_receive_buffer_bytes());
  EXPECT_EQ(entry.sender_cpus().kind(), tutti::v1::CpuChoice::KIND_LIST);
  EXPECT_THAT(entry.sender_cpus().cpus(), ElementsAre(0, 2, 4, 5, 6, 7));
  EXPECT_EQ(entry.receiver_cpus().kind(), tutti::v1::CpuChoice::KIND_NUMA);
  EXPECT_EQ(entry.receiver_cpus().numa_node(), 1u);
  EXPECT_EQ(entry.network(), "10.1.0.0/16");
  EXPECT_EQ(entry.ip_family(), tutti::v1::IP_FAMILY_V4);
  EXPECT_TRUE(entry.nodelay());
  EXPECT_EQ(entry.congestion(), "bbr");
  EXPECT_EQ(entry.mss_bytes(), 1400u);
  EXPECT_EQ(entry.dscp(), 46u);
  EXPECT_EQ(entry.rate_bps(), 2'500'000u);
  EXPECT_EQ(entry.ports().first(), 5201u);
  EXPECT_EQ(entry.ports().last(), 5300u);
  EXPECT_TRUE(entry.best_effort());
}

TEST(LoadPlan, ReadsRolesTimingRepeatAndLimits) {
  const tutti::v1::Plan plan = Load(R"(version: 1
name: all
roles:
  a: {hosts: [x, y]}
  b: {count: 2, labels: {rack: a, gen: 7}}
  c: {count: all}
  d: {same_as: a}
traffic:
  - {from: a, to: b, protocol: tcp}
  - {from: c, to: d, pattern: all_to_all, protocol: udp}
timing: {warmup: 2s, measure: 1m, cooldown: 250ms, interval: 1s}
repeat: 5
limits: {start_skew: 50ms, overlap: 99%, clock_error: 100us}
)");
  const tutti::v1::Case& only = plan.cases(0);
  ASSERT_EQ(only.roles_size(), 4);
  EXPECT_THAT(only.roles(0).hosts(), ElementsAre("x", "y"));
  EXPECT_EQ(only.roles(1).count(), 2u);
  EXPECT_EQ(only.roles(1).labels().at("rack"), "a");
  EXPECT_EQ(only.roles(1).labels().at("gen"), "7");
  EXPECT_TRUE(only.roles(2).all());
  EXPECT_FALSE(only.roles(2).has_count());
  EXPECT_EQ(only.roles(3).same_as(), "a");
  EXPECT_EQ(only.traffic(0).name(), "entry-1");
  EXPECT_EQ(only.traffic(1).name(), "entry-2");
  EXPECT_EQ(only.timing().measure_ns(), 60'000'000'000);
  EXPECT_EQ(only.timing().interval_ns(), 1'000'000'000);
  EXPECT_EQ(only.repeat(), 5u);
  EXPECT_EQ(only.limits().start_skew_ns(), 50'000'000);
  EXPECT_DOUBLE_EQ(only.limits().overlap_ratio(), 0.99);
  EXPECT_EQ(only.limits().clock_error_ns(), 100'000);
}

TEST(LoadPlan, ShowsAllErrorsAtOnceInTheOrderOfTheFile) {
  const std::string errors = Errors(R"(version: 2
name: bad plan
roles:
  a: {count: 0}
  b: {cuont: 1}
traffic:
  - from: a
    to: c
    protocol: utp
    message_size: 64k
    streams: -1
timing: {interval: 5ms, measure: 10}
repeet: 3
)");
  EXPECT_EQ(errors,
            "p.yaml:1:10: version: 2 is out of range: write 1\n"
            "p.yaml:2:7: name: \"bad plan\" is not a name: use letters, digits, _ and - only\n"
            "p.yaml:4:14: roles.a.count: 0 is out of range: write a whole number from 1 to 10000, or all\n"
            "p.yaml:5:6: roles.b: nothing fills the role: write count: N, count: all, hosts: [NAME, ...] or "
            "same_as: "
            "ROLE\n"
            "p.yaml:5:7: roles.b.cuont: \"cuont\" is not a key of a role; did you mean \"count\"?\n"
            "p.yaml:8:9: traffic[0].to: \"c\" is not a role; did you mean \"a\"?\n"
            "p.yaml:9:15: traffic[0].protocol: \"utp\" is not known: write tcp, udp; did you mean \"udp\"?\n"
            "p.yaml:10:19: traffic[0].message_size: \"64k\" can be read two ways (netperf's K counts in "
            "1024, its k in "
            "1000): write 64KiB or 64000B\n"
            "p.yaml:11:14: traffic[0].streams: -1 is out of range: write a whole number from 1 to 100000\n"
            "p.yaml:12:20: timing.interval: \"5ms\" is too small: write at least 10ms\n"
            "p.yaml:12:34: timing.measure: \"10\" has no unit: write 10s or 10ms\n"
            "p.yaml:13:1: repeet: \"repeet\" is not a key of a plan; did you mean \"repeat\"?\n");
}

TEST(LoadPlan, NamesEveryMissingKey) {
  const std::string errors = Errors("traffic:\n  - {}\n");
  for (const char* key : {"version", "name", "roles", "from", "to", "protocol"}) {
    EXPECT_THAT(errors, HasSubstr(std::string("the key \"") + key + "\" is missing"));
  }
  EXPECT_THAT(errors, HasSubstr("p.yaml:2:5: traffic[0]: the key \"from\""));
}

struct BadEntry {
  const char* line;
  const char* says;
  const char* protocol = "udp";
};
void PrintTo(const BadEntry& bad, std::ostream* out) { *out << bad.line; }

class RefusedEntry : public ::testing::TestWithParam<BadEntry> {};
TEST_P(RefusedEntry, SaysWhatToWrite) {
  const std::string errors =
      Errors(MinimalPlan(std::string("    ") + GetParam().line + "\n", "", GetParam().protocol));
  EXPECT_THAT(errors, HasSubstr("p.yaml:11:"));
  EXPECT_THAT(errors, HasSubstr(GetParam().says));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}
INSTANTIATE_TEST_SUITE_P(
    LoadPlan, RefusedEntry,
    ::testing::Values(
        BadEntry{"message_size: 1472", "1472B or 1472KiB"},
        BadEntry{"message_size: 10Mbps", "is a rate where a size"},
        BadEntry{"message_size: 0B", "at least 1B"}, BadEntry{"message_size: 65508B", "write at most 65507B"},
        BadEntry{"message_size: 99999999999GiB", "too large"},
        BadEntry{"message_size: [1B]", "no single value"}, BadEntry{"message_size:", "has no value"},
        BadEntry{"read_size: 100B", "would cut datagrams"}, BadEntry{"rate: 10MiB", "is a size where a rate"},
        BadEntry{"rate: 0bps", "at least 1bps"}, BadEntry{"streams: 100001", "from 1 to 100000"},
        BadEntry{"streams: 1.5", "not a whole number"},
        BadEntry{"streams: \"2\"", "text because of its quotes"},
        BadEntry{"streams: 99999999999999999999", "out of range"},
        BadEntry{"pattern: star", "write pairs, fan_out, fan_in, all_to_all, ring"},
        BadEntry{"both_ways: yes", "write true or false"}, BadEntry{"socket_buffer: 1MiB", "is no map"},
        BadEntry{"socket_buffer: {recv: 1MiB}", "\"recv\" is not a key"},
        BadEntry{"socket_buffer: {send: 1GiB}", "too large"},
        BadEntry{"socket_buffer: {send: auto}", "or default"}, BadEntry{"cpus: {sender: 2}", "write [2]"},
        BadEntry{"cpus: {sender: [7-4]}", "write 4-7"},
        BadEntry{"cpus: {sender: [1, 0-2]}", "CPU 1 is listed twice"},
        BadEntry{"cpus: {sender: numa:x}", "numa:0"}, BadEntry{"cpus: {sender: []}", "empty list"},
        BadEntry{"cpus: {sender: [99999]}", "from 0 to 8191"},
        BadEntry{"cpus: {receiver: with_rxx}", "avoid_irq or with_rx"},
        BadEntry{"cpus: {sender: with_rx}", "cpus.sender: with_rx: nothing arrives at a udp sender"},
        BadEntry{"cpus: {receiver: with_rx}\n    threads: per_cpu", "write threads: per_stream"},
        BadEntry{"cpus: {receiver: with_rx}\ntiming: {warmup: 99ms}", "make timing.warmup at least 100ms"},
        BadEntry{"cpus: {receiver: with_rx}\n    request_response: {connect: true}", "of its own", "tcp"},
        BadEntry{"network: 10.1.2.3/16", "write 10.1.0.0/16"},
        BadEntry{"network: 10.1.2.3", "write 10.1.2.3/24"}, BadEntry{"network: 10.1.0.0/33", "over 32"},
        BadEntry{"network: an-interface-too-long", "is no network"},
        BadEntry{"ip: v6", "did you mean \"ipv6\""}, BadEntry{"nodelay: true", "is TCP's"},
        BadEntry{"congestion: bbr", "is TCP's"}, BadEntry{"mss: 1400B", "is TCP's"},
        BadEntry{"mss: 40B", "at least 88B", "tcp"}, BadEntry{"dscp: 64", "from 0 to 63"},
        BadEntry{"ports: 0", "no range of ports"}, BadEntry{"ports: 70000", "no range of ports"},
        BadEntry{"ports: 5300-5201", "write 5201-5300"}, BadEntry{"best_effort: 1", "write true or false"},
        BadEntry{
            "ports: 5201-5203\n    streams: 4",
            "ports: ports 5201-5203 are 3, and each host of b receives 4 streams there: write a range of 4"},
        BadEntry{"ports: 5201\n    streams: 2", "port 5201 is one, and each host of b receives 2 streams"},
        BadEntry{"network: \"e\\x1Bth\"", "\"e\\x1Bth\" holds 0x1B, a control character"},
        BadEntry{"congestion: sixteen-letters-", "longer than 15 characters", "tcp"},
        BadEntry{"size: 1B", "did you mean \"message_size\"?"}));

TEST(LoadPlan, AcceptsTheLargestDatagramAndWarnsBelowTheHeader) {
  EXPECT_THAT(Errors(MinimalPlan("    message_size: 65507B\n")), IsEmpty());
  const LoadedPlan small = LoadPlan(MinimalPlan("    message_size: 23B\n"), "p.yaml", {});
  EXPECT_THAT(small.errors, IsEmpty());
  ASSERT_EQ(small.warnings.size(), 1u);
  EXPECT_THAT(small.warnings[0],
              HasSubstr("p.yaml:11:19: traffic[0].message_size: 23B leaves no room for the 24-byte"));
  EXPECT_THAT(LoadPlan(MinimalPlan("    message_size: 24B\n"), "p.yaml", {}).warnings, IsEmpty());
}

TEST(LoadPlan, RefusesRolesThatAreNotFilledOrNotUsed) {
  const auto with_roles = [](const std::string& roles) {
    return Errors("version: 1\nname: n\nroles:\n" + roles +
                  "traffic:\n  - {from: a, to: b, protocol: udp}\n");
  };
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {}\n"), HasSubstr("roles.b: nothing fills the role"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {labels: {x: y}}\n"), HasSubstr("labels but no count"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {count: 1, hosts: [x]}\n"), HasSubstr("cannot stand beside"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {hosts: [x], labels: {x: y}}\n"),
              HasSubstr("leaves no room"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {same_as: c}\n"), HasSubstr("\"c\" is not a role"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {same_as: b}\n"), HasSubstr("same as itself"));
  EXPECT_THAT(with_roles("  a: {same_as: b}\n  b: {same_as: a}\n"), HasSubstr("itself the same as"));
  EXPECT_THAT(with_roles("  a: {hosts: [x]}\n  b: {hosts: [x]}\n"), HasSubstr("also in the role \"a\""));
  EXPECT_THAT(with_roles("  a: {hosts: [x, x]}\n  b: {count: 2}\n"), HasSubstr("listed twice"));
  EXPECT_THAT(with_roles("  a: {hosts: []}\n  b: {count: 1}\n"), HasSubstr("empty list"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {all: true}\n"), HasSubstr("did you mean \"count: all\"?"));
  EXPECT_THAT(with_roles("  a: {count: 1}\n  b: {count: 1}\n  c: {count: 1}\n"),
              HasSubstr("p.yaml:6:3: roles.c: no traffic entry uses the role"));
}

TEST(LoadPlan, ChecksThePatternsCounts) {
  const auto with = [](const std::string& a, const std::string& b, const std::string& entry) {
    return Errors("version: 1\nname: n\nroles: {a: " + a + ", b: " + b + "}\ntraffic:\n  - {protocol: udp, " +
                  entry + "}\n");
  };
  EXPECT_THAT(with("{count: 2}", "{count: 3}", "from: a, to: b"),
              HasSubstr("as many hosts on both sides, not 2"));
  EXPECT_THAT(with("{count: 2}", "{count: 3}", "from: a, to: b, pattern: fan_out"),
              HasSubstr("one sending host"));
  EXPECT_THAT(with("{count: 2}", "{count: 3}", "from: a, to: b, pattern: fan_in"),
              HasSubstr("one receiving host"));
  EXPECT_THAT(with("{count: 2}", "{count: all}", "from: a, to: b"), IsEmpty());
  EXPECT_THAT(with("{count: 2}", "{same_as: a}", "from: a, to: b"), IsEmpty());
  const std::string one =
      "version: 1\nname: n\nroles: {a: {count: 1}}\ntraffic:\n  - {protocol: udp, from: a, to: a";
  EXPECT_THAT(Errors(one + ", pattern: ring}\n"), HasSubstr("at least two hosts"));
  EXPECT_THAT(Errors(one + ", pattern: all_to_all}\n"), HasSubstr("has no pair"));
  EXPECT_THAT(Errors(one + "}\n"), HasSubstr("with same_as: a"));
}

TEST(LoadPlan, ARingRunsWithinOneRole) {
  EXPECT_THAT(Errors(MinimalPlan("    pattern: ring\n")),
              HasSubstr("p.yaml:9:9: traffic[0].to: pattern ring runs within one role: write to: a"));
}

TEST(LoadPlan, ChecksNamesTimingAndTotals) {
  EXPECT_THAT(Errors(MinimalPlan("  - {name: bulk, from: b, to: a, protocol: tcp}\n")),
              HasSubstr("traffic[0] has the name \"bulk\" too"));
  EXPECT_THAT(Errors(MinimalPlan("", "timing: {measure: 50ms}\n")), HasSubstr("longer than measure, 50ms"));
  EXPECT_THAT(Errors(MinimalPlan("", "timing: {measure: 24h}\n")), HasSubstr("write at least 864ms"));
  EXPECT_THAT(Errors(MinimalPlan("", "timing: {warmup: -1s}\n")), HasSubstr("negative"));
  EXPECT_THAT(Errors(MinimalPlan("", "timing: {cooldown: 0s}\n")), HasSubstr("at least 10ms"));
  EXPECT_THAT(Errors(MinimalPlan("", "limits: {overlap: 0%}\n")), HasSubstr("limits nothing"));
  EXPECT_THAT(Errors(MinimalPlan("", "limits: {overlap: 0.99}\n")), HasSubstr("99% or 0.99%"));
  EXPECT_THAT(Errors("version: 1\nname: n\nroles: {a: {count: 1000}, b: {count: 1000}}\ntraffic:\n"
                     "  - {from: a, to: b, protocol: udp, pattern: all_to_all}\n"),
              HasSubstr("1000000 streams up to here, more than 100000"));
  EXPECT_EQ(LoadPlan(MinimalPlan("", "timing: {warmup: 0s}\n"), "p.yaml", {}).warnings.size(), 1u);
}

TEST(LoadPlan, TakesTheLongestNameThatTheKernelHasForACongestionControl) {
  EXPECT_EQ(
      Load(MinimalPlan("    congestion: fifteen-letters\n", "", "tcp")).cases(0).traffic(0).congestion(),
      "fifteen-letters");
}

TEST(LoadPlan, WritesNetworksInOneForm) {
  EXPECT_EQ(Load(MinimalPlan("    network: FD00:0:0::/64\n")).cases(0).traffic(0).network(), "fd00::/64");
}

// A plan of the entries `entries` between two roles.
std::string ErrorsOfPorts(const std::string& roles, const std::string& entries) {
  return Errors("version: 1\nname: n\nroles: {" + roles + "}\ntraffic:\n" + entries);
}

TEST(LoadPlan, CountsTheStreamsOfEachReceiverAgainstItsPorts) {
  const std::string named = "a: {hosts: [w, x, y, z]}, b: {hosts: [s]}";
  EXPECT_EQ(
      ErrorsOfPorts(named,
                    "  - {from: a, to: b, pattern: fan_in, protocol: tcp, streams: 2, ports: 5201-5207}\n"),
      "p.yaml:5:73: traffic[0].ports: ports 5201-5207 are 7, and each host of b receives 8 streams there: "
      "write "
      "a range of 8 ports or more\n");
  EXPECT_THAT(
      ErrorsOfPorts(named,
                    "  - {from: a, to: b, pattern: fan_in, protocol: tcp, streams: 2, ports: 5201-5208}\n"),
      IsEmpty());
  // Each receiver has ports of its own; of the way back it is the one host of b that sends to four.
  EXPECT_THAT(
      ErrorsOfPorts(named,
                    "  - {from: b, to: a, pattern: fan_out, protocol: tcp, streams: 2, ports: 5201-5202}\n"),
      IsEmpty());
  EXPECT_THAT(
      ErrorsOfPorts(
          named,
          "  - {from: b, to: a, pattern: fan_out, protocol: tcp, both_ways: true, ports: 5201-5203}\n"),
      HasSubstr("each host of b receives 4 streams"));
  const std::string counted = "a: {count: 3}, b: {same_as: a}";
  EXPECT_THAT(
      ErrorsOfPorts(counted, "  - {from: a, to: b, pattern: all_to_all, protocol: tcp, ports: 5201}\n"),
      HasSubstr("port 5201 is one, and each host of a receives 2 streams"));
  EXPECT_THAT(ErrorsOfPorts(counted, "  - {from: a, to: b, protocol: tcp, ports: 5201}\n"), IsEmpty());
  // How many `all` are is not known here: one at least.
  const std::string all = "a: {count: all}, b: {count: 1}";
  EXPECT_THAT(
      ErrorsOfPorts(all, "  - {from: a, to: b, pattern: fan_in, protocol: tcp, streams: 2, ports: 1-2}\n"),
      IsEmpty());
  EXPECT_THAT(
      ErrorsOfPorts(all, "  - {from: a, to: b, pattern: fan_in, protocol: tcp, streams: 3, ports: 1-2}\n"),
      HasSubstr("receives 3 streams"));
}

TEST(LoadPlan, CountsTheStreamsOfRangesInsideARange) {
  const auto with = [](const std::string& first, const std::string& second) {
    return ErrorsOfPorts(
        "a: {count: 1}, b: {count: 1}",
        "  - {name: x, from: a, to: b, " + first + "}\n  - {name: y, from: a, to: b, " + second + "}\n");
  };
  EXPECT_EQ(
      with("protocol: tcp, streams: 3, ports: 5200-5203", "protocol: tcp, streams: 2, ports: 5202-5203"),
      "p.yaml:5:65: traffic[0].ports: ports 5200-5203 are 4, and each host of b receives 5 streams there, "
      "with "
      "those of traffic[1]: write a range of 5 ports or more\n");
  EXPECT_THAT(
      with("protocol: tcp, streams: 3, ports: 5200-5203", "protocol: udp, streams: 2, ports: 5202-5203"),
      IsEmpty());
  EXPECT_THAT(with("protocol: tcp, streams: 3, ports: 1-4, network: eth0",
                   "protocol: tcp, streams: 2, ports: 3-4, network: eth1"),
              IsEmpty());
}

TEST(LoadPlan, NamesOnlySomeOfManyEntriesThatShareARange) {
  std::string entries;
  for (int i = 0; i < 8; ++i) {
    entries += "  - {name: e" + std::to_string(i) + ", from: a, to: b, protocol: tcp, ports: 7-8}\n";
  }
  EXPECT_THAT(
      ErrorsOfPorts("a: {count: 1}, b: {count: 1}", entries),
      HasSubstr(
          "receives 8 streams there, with those of traffic[1], traffic[2], traffic[3], traffic[4] and 3 "
          "more: write a range of 8 ports or more\n"));
}

TEST(LoadPlan, PointsAtThePortsInTheMatrix) {
  EXPECT_EQ(
      Errors(MinimalPlan("    streams: 3\n    ports: ${p}\n", "matrix:\n  p: [5201-5203, 6201-6202]\n")),
      "p.yaml:14:18: traffic[0].ports: ports 6201-6202 are 2, and each host of b receives 3 streams there: "
      "write "
      "a range of 3 ports or more\n");
}

// A terminal obeys these; a person who reads the error does not see them.
TEST(LoadPlan, NoErrorCarriesAControlCharacter) {
  const std::string escapes[] = {"\\e[31m",    "\\x1B[2J", "\\x07", "\\0", "\\x7F",
                                 "\\u009B31m", "\\N",      "\\n",   "\\r", "\\b"};
  for (const std::string& escape : escapes) {
    SCOPED_TRACE(escape);
    const std::string quoted = "\"a" + escape + "\"";
    const std::string plans[] = {
        "version: 1\nname: " + quoted + "\n",
        "version: " + quoted + "\n",
        quoted + ": 1\n",
        "roles: {" + quoted + ": {count: 1}}\n",
        "roles: {a: {hosts: [" + quoted + "]}}\n",
        "roles: {a: {count: 1, labels: {" + quoted + ": x}}}\n",
        "roles: {a: {count: 1, labels: {rack: " + quoted + "}}}\n",
        "matrix: {" + quoted + ": [1]}\n",
        "matrix: {x: [1, " + quoted + "]}\n",
        "traffic: [{name: " + quoted + ", protocol: " + quoted + "}]\n",
        "a: 1\na: " + quoted + "\n" + quoted + ": 1\n" + quoted + ": 2\n",
    };
    for (const std::string& plan : plans) {
      const std::string errors = Errors(plan);
      EXPECT_THAT(errors, HasSubstr(", which keys and values do not have")) << plan;
      for (const char c : errors) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << plan << errors;
      // One error is one line.
      EXPECT_EQ(static_cast<size_t>(std::count(errors.begin(), errors.end(), '\n')),
                LoadPlan(plan, "p.yaml", {}).errors.size());
    }
  }
}

TEST(LoadPlan, FileNamesAndOverridesAreQuotedWithoutTheirControlCharacters) {
  EXPECT_EQ(Format("a\x1b[2J\n.yaml", PlanError{1, 2, "a", "is odd"}), "a\\x1B[2J\\n.yaml:1:2: a: is odd");
  EXPECT_EQ(LoadPlan(MinimalPlan(), "a\x1b.yaml", {}).plan.source_name(), "a\\x1B.yaml");
  for (const std::string& override :
       {std::string("repeat=\x1b[2J"), std::string("re\x1bpeat=1"), std::string("repeat\xC2\x9B"),
        std::string("\x1b"), std::string("re\xFFpeat=1"), std::string("repeat=\"\\e\"")}) {
    const std::string errors = Errors(MinimalPlan(), {override});
    ASSERT_FALSE(errors.empty()) << override;
    for (const char c : errors) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7F)) << errors;
  }
}

TEST(LoadPlan, FormatsErrorsThatHaveNoPlace) {
  EXPECT_EQ(Format("p.yaml", PlanError{0, 0, "", "is gone"}), "p.yaml: is gone");
  EXPECT_EQ(Format("p.yaml", PlanError{3, 7, "a.b", "is odd"}), "p.yaml:3:7: a.b: is odd");
}

TEST(LoadValidPlan, RefusesWithEveryErrorOneALine) {
  auto plan = LoadValidPlan("version: 1\n", "p.yaml", {});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(plan.status().message());
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << message;  // name, roles, traffic
  EXPECT_THAT(message, Not(HasSubstr("version")));
}

TEST(ExpectedDuration, AddsTrialsAndBackgroundSeconds) {
  const tutti::v1::Plan plan = Load(
      MinimalPlan("    streams: ${s}\n",
                  "matrix: {s: [1, 2]}\ntiming: {warmup: 1s, measure: 2s, cooldown: 500ms}\nrepeat: 3\n"));
  EXPECT_EQ(ExpectedDurationNs(plan), 2 * (3 * 3'500'000'000 + 1'000'000'000));
}

TEST(ExpectedDuration, DoesNotOverflow) {
  tutti::v1::Plan plan = Load(MinimalPlan("", "timing: {measure: 168h, interval: 10m}\nrepeat: 1000\n"));
  while (plan.cases_size() < 100) *plan.add_cases() = plan.cases(0);
  EXPECT_EQ(ExpectedDurationNs(plan), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace tutti::plan
