#include "coordinator/plan/value_parser.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/suggestion/suggestion.h"
#include "common/units/units.h"
#include "coordinator/plan/ip_address.h"
#include "coordinator/plan/threshold_parser.h"

namespace tutti::plan {
namespace {

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Digits only: no sign, no 0x, no exponent; so 010 is ten, and absl's is a decimal parser too.
absl::StatusOr<uint64_t> Integer(const Node& node, uint64_t min, uint64_t max) {
  const std::string bounds =
      min == max ? absl::StrCat("write ", min) : absl::StrCat("write a whole number from ", min, " to ", max);
  if (node.kind != Node::Kind::kScalar)
    return Invalid(absl::StrCat(Describe(node), " is not a number: ", bounds));
  if (!node.plain) return Invalid(absl::StrCat(Describe(node), " is text because of its quotes: ", bounds));
  const bool negative =
      node.text.size() > 1 && node.text[0] == '-' && AllDigits(std::string_view(node.text).substr(1));
  if (!AllDigits(node.text) && !negative) {
    return Invalid(absl::StrCat(Describe(node), " is not a whole number: ", bounds));
  }
  uint64_t value = 0;
  if (negative || !absl::SimpleAtoi(node.text, &value) || value < min || value > max) {
    return Invalid(absl::StrCat(node.text, " is out of range: ", bounds));
  }
  return value;
}

std::string InUnit(uint64_t value, ValueKind kind) {
  switch (kind) {
    case ValueKind::kSize:
    case ValueKind::kBuffer:
      return FormatSize(value);
    case ValueKind::kDuration:
      return FormatDuration(static_cast<int64_t>(value));
    case ValueKind::kRate:
      for (const auto& [factor, unit] :
           {std::pair<uint64_t, const char*>{1'000'000'000, "Gbps"}, {1'000'000, "Mbps"}, {1'000, "Kbps"}}) {
        if (value >= factor && value % factor == 0) return absl::StrCat(value / factor, unit);
      }
      return absl::StrCat(value, "bps");
    default:
      return absl::StrCat(value);
  }
}

absl::StatusOr<uint64_t> InUnits(const std::string& text, ValueKind kind) {
  if (kind == ValueKind::kRate) return ParseRateBps(text);
  if (kind != ValueKind::kDuration) return ParseSizeBytes(text);
  absl::StatusOr<int64_t> ns = ParseDurationNs(text);
  if (!ns.ok()) return ns.status();
  return static_cast<uint64_t>(*ns);
}

absl::StatusOr<uint64_t> Dimension(const Node& node, const ValueSpec& spec) {
  const bool size = spec.kind == ValueKind::kSize || spec.kind == ValueKind::kBuffer;
  if (node.kind != Node::Kind::kScalar) {
    const std::string form = size                                ? "a size such as 64KiB"
                             : spec.kind == ValueKind::kDuration ? "a duration such as 10s"
                                                                 : "a rate such as 100Mbps";
    return Invalid(absl::StrCat(Describe(node), " is no single value: write ", form));
  }
  absl::StatusOr<uint64_t> value = InUnits(node.text, spec.kind);
  if (!value.ok()) return value.status();
  if (*value < spec.min) {
    return Invalid(
        absl::StrCat(Describe(node), " is too small: write at least ", InUnit(spec.min, spec.kind)));
  }
  if (*value > spec.max) {
    return Invalid(
        absl::StrCat(Describe(node), " is too large: write at most ", InUnit(spec.max, spec.kind)));
  }
  return value;
}

// "4-7" or "4".
absl::Status AddCpus(const std::string& text, uint64_t max, std::set<uint64_t>& seen,
                     tutti::v1::CpuChoice& choice) {
  const size_t dash = text.find('-');
  const std::string first_text = text.substr(0, dash);
  const std::string last_text = dash == std::string::npos ? first_text : text.substr(dash + 1);
  uint64_t first = 0, last = 0;
  if (!AllDigits(first_text) || !AllDigits(last_text) || !absl::SimpleAtoi(first_text, &first) ||
      !absl::SimpleAtoi(last_text, &last) || last > max) {
    return Invalid(
        absl::StrCat("\"", text, "\" names no CPUs: write numbers from 0 to ", max, ", as in [0, 2, 4-7]"));
  }
  if (first > last) return Invalid(absl::StrCat("\"", text, "\" runs backwards: write ", last, "-", first));
  for (uint64_t cpu = first; cpu <= last; ++cpu) {
    if (!seen.insert(cpu).second)
      return Invalid(absl::StrCat("CPU ", cpu, " is listed twice: list each once"));
    choice.add_cpus(static_cast<uint32_t>(cpu));
  }
  return absl::OkStatus();
}

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

absl::Status CheckName(const std::string& text, uint64_t longest) {
  if (text.empty()) return Invalid("is empty: write a name");
  if (text.size() > longest)
    return Invalid(absl::StrCat("is longer than ", longest, " characters: write a shorter name"));
  if (!std::all_of(text.begin(), text.end(), IsNameCharacter)) {
    return Invalid(absl::StrCat("\"", text, "\" is not a name: use letters, digits, _ and - only"));
  }
  return absl::OkStatus();
}

absl::Status CheckHostName(const std::string& text) {
  const auto fits = [](char c) { return IsNameCharacter(c) || c == '.' || c == ':' || c == '@'; };
  if (text.empty() || text.size() > 253 || !std::all_of(text.begin(), text.end(), fits)) {
    return Invalid(
        absl::StrCat("\"", text, "\" is not a worker's name: use the names that `tutti workers` prints"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<uint64_t> ParseNumber(const Node& node, const ValueSpec& spec) {
  return spec.kind == ValueKind::kInteger ? Integer(node, spec.min, spec.max) : Dimension(node, spec);
}

absl::StatusOr<StreamRate> ParseStreamRate(const Node& node, const ValueSpec& spec) {
  if (node.kind != Node::Kind::kScalar || !IsMessageRate(node.text)) {
    absl::StatusOr<uint64_t> bps = Dimension(node, spec);
    if (!bps.ok()) return bps.status();
    return StreamRate{*bps, false};
  }
  absl::StatusOr<uint64_t> messages = ParseMessageRate(node.text);
  if (!messages.ok()) return messages.status();
  if (*messages == 0) return Invalid(absl::StrCat(Describe(node), " is too small: write at least 1pps"));
  if (*messages > kMostMessagesPerSecond) {
    return Invalid(absl::StrCat(Describe(node), " is too large: write at most ",
                                kMostMessagesPerSecond / 1'000'000, "Mpps"));
  }
  return StreamRate{*messages, true};
}

absl::StatusOr<double> ParseRatio(const Node& node) {
  if (node.kind != Node::Kind::kScalar) {
    return Invalid(absl::StrCat(Describe(node), " is not a percentage: write one such as 99%"));
  }
  absl::StatusOr<double> ratio = ParsePercent(node.text);
  if (ratio.ok() && *ratio <= 0) {
    return Invalid(absl::StrCat(Describe(node), " limits nothing: write more than 0%, or leave the key out"));
  }
  return ratio;
}

absl::StatusOr<bool> ParseBool(const Node& node) {
  if (node.kind == Node::Kind::kScalar && node.plain) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  return Invalid(absl::StrCat(Describe(node), " is neither true nor false: write true or false"));
}

absl::StatusOr<CountValue> ParseCount(const Node& node, const ValueSpec& spec) {
  CountValue value;
  if (node.kind == Node::Kind::kScalar && node.text == "all") {
    value.all = true;
    return value;
  }
  absl::StatusOr<uint64_t> count = Integer(node, spec.min, spec.max);
  if (!count.ok()) return Invalid(absl::StrCat(std::string(count.status().message()), ", or all"));
  value.count = static_cast<uint32_t>(*count);
  return value;
}

absl::StatusOr<std::optional<uint64_t>> ParseBuffer(const Node& node, const ValueSpec& spec) {
  if (node.kind == Node::Kind::kScalar && node.text == "default") return std::optional<uint64_t>();
  absl::StatusOr<uint64_t> bytes = Dimension(node, spec);
  if (!bytes.ok()) return Invalid(absl::StrCat(std::string(bytes.status().message()), ", or default"));
  return std::optional<uint64_t>(*bytes);
}

absl::StatusOr<tutti::v1::CpuChoice> ParseCpus(const Node& node, const ValueSpec& spec) {
  const std::string forms = "write any, a list such as [0, 2, 4-7], numa:0, nic_local, avoid_irq or with_rx";
  tutti::v1::CpuChoice choice;
  if (node.kind == Node::Kind::kList) {
    choice.set_kind(tutti::v1::CpuChoice::KIND_LIST);
    if (node.items.empty()) return Invalid(absl::StrCat("is an empty list: ", forms));
    std::set<uint64_t> seen;
    for (const NodePtr& item : node.items) {
      if (item->kind != Node::Kind::kScalar)
        return Invalid(absl::StrCat(Describe(*item), " names no CPUs: ", forms));
      if (absl::Status status = AddCpus(item->text, spec.max, seen, choice); !status.ok()) return status;
    }
    return choice;
  }
  if (node.kind != Node::Kind::kScalar)
    return Invalid(absl::StrCat(Describe(node), " names no CPUs: ", forms));
  if (node.text == "any") return choice;
  for (const auto& [word, kind] : {std::pair("nic_local", tutti::v1::CpuChoice::KIND_NIC_LOCAL),
                                   std::pair("avoid_irq", tutti::v1::CpuChoice::KIND_AVOID_IRQ),
                                   std::pair("with_rx", tutti::v1::CpuChoice::KIND_WITH_RX)}) {
    if (node.text != word) continue;
    choice.set_kind(kind);
    return choice;
  }
  const std::string numa = "numa:";
  uint32_t id = 0;
  if (node.text.rfind(numa, 0) == 0 && AllDigits(node.text.substr(numa.size())) &&
      absl::SimpleAtoi(node.text.substr(numa.size()), &id) && id < 1024) {
    choice.set_kind(tutti::v1::CpuChoice::KIND_NUMA);
    choice.set_numa_node(id);
    return choice;
  }
  if (!node.text.empty() && std::isdigit(static_cast<unsigned char>(node.text[0]))) {
    return Invalid(absl::StrCat(Describe(node), " is no list: write [", node.text, "]"));
  }
  return Invalid(absl::StrCat(Describe(node), " names no CPUs: ", forms));
}

absl::StatusOr<tutti::v1::PortRange> ParsePorts(const Node& node) {
  const std::string forms = "write a port such as 5201 or a range such as 5201-5300, from 1 to 65535";
  if (node.kind != Node::Kind::kScalar)
    return Invalid(absl::StrCat(Describe(node), " is no range of ports: ", forms));
  const size_t dash = node.text.find('-');
  const std::string first = node.text.substr(0, dash);
  const std::string last = dash == std::string::npos ? first : node.text.substr(dash + 1);
  uint32_t first_port = 0, last_port = 0;
  if (!AllDigits(first) || !AllDigits(last) || !absl::SimpleAtoi(first, &first_port) ||
      !absl::SimpleAtoi(last, &last_port) || first_port == 0 || last_port == 0 || first_port > 65'535 ||
      last_port > 65'535) {
    return Invalid(absl::StrCat(Describe(node), " is no range of ports: ", forms));
  }
  if (first_port > last_port) {
    return Invalid(absl::StrCat(Describe(node), " runs backwards: write ", last_port, "-", first_port));
  }
  tutti::v1::PortRange range;
  range.set_first(first_port);
  range.set_last(last_port);
  return range;
}

std::string DescribePorts(const tutti::v1::PortRange& range) {
  const uint32_t ports = range.last() - range.first() + 1;
  if (ports == 1) return absl::StrCat("port ", range.first(), " is one");
  return absl::StrCat("ports ", range.first(), "-", range.last(), " are ", ports);
}

absl::StatusOr<std::string> ParseNetwork(const Node& node) {
  const std::string forms = "write a CIDR such as 10.1.0.0/16 or an interface such as eth0";
  if (node.kind != Node::Kind::kScalar || node.text.empty()) {
    return Invalid(absl::StrCat(Describe(node), " is no network: ", forms));
  }
  if (node.text.find('/') != std::string::npos) {
    absl::StatusOr<Cidr> cidr = ParseCidr(node.text);
    if (!cidr.ok()) return cidr.status();
    return absl::StrCat(ToString(cidr->network), "/", cidr->prefix_length);
  }
  if (std::optional<IpAddress> address = ParseIpAddress(node.text)) {
    return Invalid(absl::StrCat(Describe(node), " is one host's address and has no prefix length: write ",
                                node.text, address->v6 ? "/64" : "/24", " or an interface name"));
  }
  // IFNAMSIZ is 16 with the end; the kernel's dev_valid_name refuses these too.
  const bool odd = std::any_of(node.text.begin(), node.text.end(), [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0 || c == ':';
  });
  if (node.text.size() > 15 || odd) return Invalid(absl::StrCat(Describe(node), " is no network: ", forms));
  return node.text;
}

absl::StatusOr<std::string> ParseText(const Node& node, const ValueSpec& spec) {
  if (node.kind != Node::Kind::kScalar)
    return Invalid(absl::StrCat(Describe(node), " is no single word: write one"));
  if (spec.kind == ValueKind::kWord) {
    if (std::find(spec.words.begin(), spec.words.end(), node.text) != spec.words.end()) return node.text;
    const std::string nearest = Nearest(node.text, spec.words);
    return Invalid(absl::StrCat(Describe(node), " is not known: write ", absl::StrJoin(spec.words, ", "),
                                nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")));
  }
  absl::Status status = absl::OkStatus();
  if (spec.kind == ValueKind::kName) status = CheckName(node.text, spec.max);
  if (spec.kind == ValueKind::kHostName) status = CheckHostName(node.text);
  if (spec.kind == ValueKind::kText && node.text.size() > spec.max) {
    status = Invalid(absl::StrCat("is longer than ", spec.max, " bytes: write a shorter text"));
  }
  if (!status.ok()) return status;
  return node.text;
}

absl::Status CheckScalarValue(const Node& node, const ValueSpec& spec) {
  switch (spec.kind) {
    case ValueKind::kInteger:
    case ValueKind::kSize:
    case ValueKind::kDuration:
      return ParseNumber(node, spec).status();
    case ValueKind::kRate:
      return ParseStreamRate(node, spec).status();
    case ValueKind::kPercent:
      return ParseRatio(node).status();
    case ValueKind::kBool:
      return ParseBool(node).status();
    case ValueKind::kCount:
      return ParseCount(node, spec).status();
    case ValueKind::kBuffer:
      return ParseBuffer(node, spec).status();
    case ValueKind::kCpus:
      return ParseCpus(node, spec).status();
    case ValueKind::kPorts:
      return ParsePorts(node).status();
    case ValueKind::kNetwork:
      return ParseNetwork(node).status();
    case ValueKind::kWord:
    case ValueKind::kName:
    case ValueKind::kText:
    case ValueKind::kHostName:
      return ParseText(node, spec).status();
    case ValueKind::kExpected:
    case ValueKind::kThreshold:
      return ParseExpected(node).status();
    case ValueKind::kScope:
      return ParseScope(node).status();
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kNamedMap:
    case ValueKind::kAxes:
      break;
  }
  return absl::InternalError("not a single value");
}

}  // namespace tutti::plan
