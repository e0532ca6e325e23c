// A reader of Prometheus' text format of the tests' own, as strict as a scraper: it fails the test on a line
// that is none, a series that is there twice, or a figure whose family was not declared before it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

namespace tutti::telemetry {

struct Exposition {
  std::map<std::string, std::string> help;
  std::map<std::string, std::string> type;
  // By name and labels, these without quotes and with their text as it was before it was escaped, in the
  // page's order: "tutti_workers{state=idle}".
  std::map<std::string, double> samples;
};

// The family that a sample belongs to; a histogram's are named after its parts.
inline std::string FamilyOf(const std::string& sample, const Exposition& page) {
  const std::string name = sample.substr(0, sample.find('{'));
  for (const char* const suffix : {"_bucket", "_sum", "_count"}) {
    const std::string part = suffix;
    if (name.size() <= part.size() || name.substr(name.size() - part.size()) != part) continue;
    const std::string family = name.substr(0, name.size() - part.size());
    const auto found = page.type.find(family);
    if (found != page.type.end() && found->second == "histogram") return family;
  }
  return name;
}

// From the opening brace on; returns where the closing one is. `key` gets what is between them.
inline size_t ReadLabels(const std::string& line, size_t at, std::string& key) {
  while (line[at] != '}') {
    const size_t equals = line.find("=\"", at);
    if (equals == std::string::npos) return std::string::npos;
    key += line.substr(at, equals - at) + "=";
    for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] != '\\') {
        key += line[at];
        continue;
      }
      if (++at == line.size()) return std::string::npos;
      key += line[at] == 'n' ? '\n' : line[at];
    }
    if (++at >= line.size()) return std::string::npos;
    if (line[at] == ',') key += line[at++];
  }
  return at;
}

inline void ReadSample(const std::string& line, Exposition& page) {
  size_t at = line.find_first_of("{ ");
  ASSERT_NE(at, std::string::npos) << line;
  std::string key = line.substr(0, at);
  if (line[at] == '{') {
    key += '{';
    at = ReadLabels(line, at + 1, key);
    ASSERT_NE(at, std::string::npos) << line;
    key += '}';
    ++at;
  }
  ASSERT_EQ(line.substr(at, 1), " ") << line;
  const std::string number = line.substr(at + 1);
  char* end = nullptr;
  const double value = strtod(number.c_str(), &end);
  ASSERT_TRUE(!number.empty() && *end == '\0') << line;
  EXPECT_EQ(page.type.count(FamilyOf(key, page)), 1u) << "no type before " << line;
  EXPECT_TRUE(page.samples.emplace(key, value).second) << "twice: " << line;
}

inline Exposition ReadExposition(const std::string& text) {
  Exposition page;
  EXPECT_TRUE(!text.empty() && text.back() == '\n') << "the last line has to end";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, kind, name, rest;
    if (line.compare(0, 2, "# ") != 0) {
      ReadSample(line, page);
      continue;
    }
    words >> hash >> kind >> name;
    std::getline(words >> std::ws, rest);
    if (kind == "HELP") {
      EXPECT_TRUE(page.help.emplace(name, rest).second) << "twice: " << line;
    } else {
      EXPECT_EQ(kind, "TYPE") << line;
      EXPECT_TRUE(page.type.emplace(name, rest).second) << "twice: " << line;
    }
  }
  return page;
}

}  // namespace tutti::telemetry
