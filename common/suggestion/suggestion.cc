#include "common/suggestion/suggestion.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tutti {
namespace {

// A word longer than any key needs no suggestion, and the distance is quadratic.
constexpr size_t kLongestWord = 64;

std::string Folded(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return folded;
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::string folded = Folded(word);
  std::string nearest;
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::string folded_candidate = Folded(candidate);
    // "v6" for "ipv6": a part of one word only is as good as one letter off.
    const bool part = folded.size() >= 2 && folded_candidate.find(folded) != std::string::npos;
    const size_t distance = std::min<size_t>(EditDistance(folded, folded_candidate), part ? 1 : kLongestWord);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return "";
  const std::string nearest = Nearest(word, known);
  if (!nearest.empty()) return absl::StrCat("; did you mean \"", nearest, "\"?");
  constexpr size_t kMostListed = 30;
  const size_t listed = std::min(known.size(), kMostListed);
  return absl::StrCat("; known ", known.size() == 1 ? "is " : "are ",
                      absl::StrJoin(known.begin(), known.begin() + listed, ", "),
                      listed < known.size() ? ", ..." : "");
}

}  // namespace tutti
