#include "coordinator/report/first_reasons.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tutti::report {

std::vector<std::string> FirstReasons(const google::protobuf::RepeatedPtrField<std::string>& reasons) {
  const int shown = std::min(reasons.size(), kReasonsInText);
  std::vector<std::string> first(reasons.begin(), reasons.begin() + shown);
  if (shown < reasons.size()) {
    first.push_back(absl::StrCat("and ", reasons.size() - shown, " more; JSON has them all"));
  }
  return first;
}

}  // namespace tutti::report
