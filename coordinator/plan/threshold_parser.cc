#include "coordinator/plan/threshold_parser.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/metrics/threshold_text.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/value_parser.h"

namespace tutti::plan {
namespace {

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

std::string Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

constexpr char kForm[] =
    "write a metric, one of < <= > >= and a figure, such as throughput.received >= 9.4Gbps";

// What a wrong comparison begins with, too.
constexpr char kComparing[] = "<>=!";

absl::StatusOr<Scope> NamedScope(const Node& node, tutti::v1::ThresholdScope scope, ValueKind kind,
                                 const std::string& name) {
  ValueSpec spec{kind};
  spec.max = kLongestName;
  const absl::StatusOr<std::string> member = ParseText(*MakeScalar(node.position, name, true), spec);
  if (!member.ok()) return member.status();
  return Scope{scope, *member};
}

}  // namespace

absl::StatusOr<Expected> ParseExpected(const Node& node) {
  if (node.kind != Node::Kind::kScalar)
    return Invalid(absl::StrCat(Describe(node), " is no threshold: ", kForm));
  const size_t begin = node.text.find_first_of(kComparing);
  if (begin == std::string::npos) return Invalid(absl::StrCat(Describe(node), " compares nothing: ", kForm));
  const size_t end = std::min(node.text.find_first_not_of(kComparing, begin), node.text.size());
  const std::string name = Trimmed(std::string_view(node.text).substr(0, begin));
  const std::string symbol = node.text.substr(begin, end - begin);
  const std::string figure = Trimmed(std::string_view(node.text).substr(end));
  Expected expected;
  expected.metric = metrics::FindMetric(name);
  if (expected.metric == nullptr) {
    return Invalid(absl::StrCat("\"", name, "\" is not a metric", DidYouMean(name, metrics::MetricNames()),
                                " (tutti metrics says what each is)"));
  }
  for (const metrics::Symbol& known : metrics::Symbols()) {
    if (symbol == known.text) expected.comparison = known.comparison;
  }
  if (expected.comparison == tutti::v1::COMPARISON_UNSPECIFIED) {
    return Invalid(absl::StrCat("\"", symbol, "\" is no comparison: write one of < <= > >="));
  }
  const absl::StatusOr<double> limit = metrics::ParseFigure(expected.metric->dimension, figure);
  if (!limit.ok()) {
    return Invalid(absl::StrCat("of ", name, ": ", std::string(limit.status().message()), " (as in ", name,
                                " ", symbol, " ", metrics::ExampleOf(expected.metric->dimension), ")"));
  }
  expected.limit = *limit;
  return expected;
}

absl::StatusOr<Scope> ParseScope(const Node& node) {
  const std::string forms = "write total, role:NAME, host, host:NAME, pair or stream";
  if (node.kind != Node::Kind::kScalar) return Invalid(absl::StrCat(Describe(node), " is no scope: ", forms));
  static const std::vector<std::pair<std::string, tutti::v1::ThresholdScope>> kScopes = {
      {"total", tutti::v1::THRESHOLD_SCOPE_TOTAL},
      {"host", tutti::v1::THRESHOLD_SCOPE_HOST},
      {"pair", tutti::v1::THRESHOLD_SCOPE_PAIR},
      {"stream", tutti::v1::THRESHOLD_SCOPE_STREAM}};
  std::vector<std::string> words;
  for (const auto& [word, scope] : kScopes) {
    if (node.text == word) return Scope{scope, ""};
    words.push_back(word);
  }
  const size_t colon = node.text.find(':');
  const std::string before = node.text.substr(0, colon);
  if (colon != std::string::npos && before == "role") {
    return NamedScope(node, tutti::v1::THRESHOLD_SCOPE_ROLE, ValueKind::kName, node.text.substr(colon + 1));
  }
  if (colon != std::string::npos && before == "host") {
    return NamedScope(node, tutti::v1::THRESHOLD_SCOPE_HOST, ValueKind::kHostName,
                      node.text.substr(colon + 1));
  }
  const std::string nearest = Nearest(node.text, words);
  return Invalid(absl::StrCat(Describe(node), " is not known: ", forms,
                              nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")));
}

}  // namespace tutti::plan
