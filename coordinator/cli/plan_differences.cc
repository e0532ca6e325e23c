#include "coordinator/cli/plan_differences.h"

#include <google/protobuf/util/message_differencer.h>

#include <sstream>

#include "common/status/printable.h"

namespace tutti::cli {
namespace {

constexpr size_t kMostShown = 5;

}  // namespace

std::vector<std::string> PlanDifferences(const tutti::v1::Plan& earlier, const tutti::v1::Plan& now) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string report;
  differencer.ReportDifferencesToString(&report);
  std::vector<std::string> differences;
  if (differencer.Compare(earlier, now)) return differences;
  std::istringstream lines(report);
  for (std::string line; differences.size() < kMostShown && std::getline(lines, line);) {
    differences.push_back(Printable(line));
  }
  return differences;
}

}  // namespace tutti::cli
