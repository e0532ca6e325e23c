// "Did you mean": the known word nearest to a mistyped one. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

// Insertions, deletions, replacements and swaps of neighbours, each 1 (optimal string alignment distance).
size_t EditDistance(std::string_view a, std::string_view b);

// The nearest of `known`, or "" if none is near: at most a third of the word's letters may differ. Case
// counts nothing and '-' is '_'.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);

// "; did you mean \"streams\"?", or "; known are a, b, c" where nothing is near, or "" where nothing is
// known.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& known);

}  // namespace tutti
