#include <array>
#include <cctype>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array<Unit, 6> kSizes = {{{"B", 1},
                                         {"KiB", 1ull << 10},
                                         {"MiB", 1ull << 20},
                                         {"GiB", 1ull << 30},
                                         {"TiB", 1ull << 40},
                                         {"PiB", 1ull << 50}}};
constexpr std::array<Unit, 4> kRates = {
    {{"bps", 1}, {"Kbps", 1'000}, {"Mbps", 1'000'000}, {"Gbps", 1'000'000'000}}};
constexpr std::array<Unit, 3> kMessageRates = {{{"pps", 1}, {"Kpps", 1'000}, {"Mpps", 1'000'000}}};
constexpr std::array<Unit, 5> kDurations = {{{"us", 1'000},
                                             {"ms", 1'000'000},
                                             {"s", 1'000'000'000},
                                             {"m", 60'000'000'000},
                                             {"h", 3'600'000'000'000}}};

// "1.5KiB" cut into its parts; the number is digits with at most one point.
struct Parts {
  std::string_view number;
  std::string_view unit;
};

absl::Status Invalid(std::string_view text, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("\"", std::string(text), "\" ", why));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::optional<Parts> Split(std::string_view text) {
  size_t end = 0;
  int points = 0;
  while (end < text.size() && ((text[end] >= '0' && text[end] <= '9') || text[end] == '.')) {
    points += text[end] == '.';
    ++end;
  }
  const std::string_view number = text.substr(0, end);
  if (number.empty() || points > 1 || number.front() == '.' || number.back() == '.') return std::nullopt;
  return Parts{number, text.substr(end)};
}

enum class Scaled { kOk, kTooLarge, kNotWhole };

// number x factor in integers only, so that no binary rounding can change a value.
Scaled Scale(std::string_view number, uint64_t factor, uint64_t max, uint64_t* out) {
  const size_t point = number.find('.');
  unsigned __int128 whole = 0;
  for (char c : number.substr(0, point)) {
    whole = whole * 10 + static_cast<unsigned>(c - '0');
    if (whole > std::numeric_limits<uint64_t>::max()) return Scaled::kTooLarge;
  }
  unsigned __int128 value = whole * factor;
  if (point != std::string_view::npos) {
    std::string_view fraction = number.substr(point + 1);
    while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
    // factor <= 2^50 and 10^18 < 2^60: the product fits 128 bits; longer fractions cannot be whole.
    if (fraction.size() > 18) return Scaled::kNotWhole;
    unsigned __int128 numerator = 0, denominator = 1;
    for (char c : fraction) {
      numerator = numerator * 10 + static_cast<unsigned>(c - '0');
      denominator *= 10;
    }
    if (numerator * factor % denominator != 0) return Scaled::kNotWhole;
    value += numerator * factor / denominator;
  }
  if (value > max) return Scaled::kTooLarge;
  *out = static_cast<uint64_t>(value);
  return Scaled::kOk;
}

template <size_t N>
const Unit* FindUnit(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

bool IsSizeUnit(std::string_view unit) { return FindUnit(kSizes, unit) != nullptr; }
bool IsRateUnit(std::string_view unit) { return FindUnit(kRates, unit) != nullptr; }
bool IsDurationUnit(std::string_view unit) { return FindUnit(kDurations, unit) != nullptr; }

// The power of a prefix letter: k 1, m 2, g 3, t 4, p 5; 0 for anything else.
int PrefixPower(char letter) {
  switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'k':
      return 1;
    case 'm':
      return 2;
    case 'g':
      return 3;
    case 't':
      return 4;
    case 'p':
      return 5;
  }
  return 0;
}

std::string Times(std::string_view number, uint64_t factor, std::string_view unit,
                  std::string_view fallback) {
  uint64_t value = 0;
  if (Scale(number, factor, std::numeric_limits<uint64_t>::max(), &value) != Scaled::kOk) {
    return std::string(fallback);
  }
  return absl::StrCat(value, std::string(unit));
}

// netperf's sizes and our rates end with G.
constexpr int kLargestOfNetperf = 3;
constexpr int kLargestOfRates = 3;

uint64_t Power(uint64_t base, int exponent) {
  uint64_t value = 1;
  while (exponent-- > 0) value *= base;
  return value;
}

// What a unit that is no size unit was probably meant to be.
std::string SizeAdvice(const Parts& parts) {
  const std::string number(parts.number);
  const std::string lower = Lower(parts.unit);
  if (parts.unit.empty()) return absl::StrCat("has no unit: write ", number, "B or ", number, "KiB");
  if (IsRateUnit(parts.unit))
    return "is a rate where a size is due: sizes are written in B, KiB, MiB, GiB, TiB or PiB";
  const int power = PrefixPower(parts.unit[0]);
  const bool letter_or_byte = parts.unit.size() == 1 || lower.substr(1) == "b";
  if (power > 0 && letter_or_byte) {
    const std::string binary =
        absl::StrCat(number, std::string(1, static_cast<char>(std::toupper(parts.unit[0]))), "iB");
    const std::string decimal = Times(parts.number, Power(1000, power), "B", "the number of bytes");
    const std::string capital(1, static_cast<char>(std::toupper(parts.unit[0])));
    const std::string small(1, static_cast<char>(std::tolower(parts.unit[0])));
    const std::string readings =
        power <= kLargestOfNetperf
            ? absl::StrCat("netperf's ", capital, " counts in 1024, its ", small, " in 1000")
            : "in powers of 1024 or of 1000";
    return absl::StrCat("can be read two ways (", readings, "): write ", binary, " or ", decimal);
  }
  if (IsDurationUnit(parts.unit))
    return "is a duration where a size is due: sizes are written in B, KiB, MiB, GiB, TiB or PiB";
  for (const Unit& unit : kSizes) {
    if (Lower(unit.name) == lower)
      return absl::StrCat("has a wrong unit: write ", number, std::string(unit.name));
  }
  return "has an unknown unit: sizes are written in B, KiB, MiB, GiB, TiB or PiB, such as 1472B or 64KiB";
}

std::string RateAdvice(const Parts& parts) {
  const std::string number(parts.number);
  const std::string lower = Lower(parts.unit);
  if (parts.unit.empty()) return absl::StrCat("has no unit: write ", number, "bps or ", number, "Mbps");
  if (IsSizeUnit(parts.unit))
    return "is a size where a rate is due: rates are written in bps, Kbps, Mbps or Gbps";
  const int power = PrefixPower(parts.unit[0]);
  if (power > 0 && power <= kLargestOfRates && parts.unit.size() == 1) {
    const std::string capital(1, static_cast<char>(std::toupper(parts.unit[0])));
    return absl::StrCat("can be read two ways (1000 or 1024 based): write ", number, capital,
                        "bps, which counts in 1000, or ",
                        Times(parts.number, Power(1024, power), "bps", "the number of bps"));
  }
  if (IsDurationUnit(parts.unit))
    return "is a duration where a rate is due: rates are written in bps, Kbps, Mbps or Gbps";
  if (parts.unit.find("Bps") != std::string_view::npos || lower.find("b/s") != std::string::npos) {
    return "has an unknown unit: rates count bits, in bps, Kbps, Mbps or Gbps (8 bits to the byte)";
  }
  for (const Unit& unit : kRates) {
    const std::string name = Lower(unit.name);  // "mbps"; also "mbit", "mbit/s"
    const std::string bit = absl::StrCat(name.substr(0, name.size() - 3), "bit");
    if (lower == name || lower == bit || lower == absl::StrCat(bit, "s") ||
        lower == absl::StrCat(bit, "/s")) {
      return absl::StrCat("has a wrong unit: write ", number, std::string(unit.name));
    }
  }
  return "has an unknown unit: rates are written in bps, Kbps, Mbps or Gbps, such as 100Mbps";
}

std::string DurationAdvice(const Parts& parts) {
  const std::string number(parts.number);
  const std::string lower = Lower(parts.unit);
  if (parts.unit.empty()) return absl::StrCat("has no unit: write ", number, "s or ", number, "ms");
  if (IsSizeUnit(parts.unit) || IsRateUnit(parts.unit)) {
    return "is no duration: durations are written in us, ms, s, m or h, such as 10s";
  }
  if (parts.unit == "M")
    return absl::StrCat("can be read two ways: write ", number, "m (minutes) or ", number, "ms");
  if (lower.rfind("ns", 0) == 0 || lower.rfind("nano", 0) == 0) {
    return "is finer than a plan can say: durations are written in us, ms, s, m or h";
  }
  static constexpr std::array<std::array<std::string_view, 2>, 10> kSpellings = {{{"usec", "us"},
                                                                                  {"msec", "ms"},
                                                                                  {"sec", "s"},
                                                                                  {"min", "m"},
                                                                                  {"hour", "h"},
                                                                                  {"hr", "h"},
                                                                                  {"ms", "ms"},
                                                                                  {"us", "us"},
                                                                                  {"s", "s"},
                                                                                  {"h", "h"}}};
  for (const auto& spelling : kSpellings) {
    if (lower.rfind(std::string(spelling[0]), 0) == 0) {
      return absl::StrCat("has a wrong unit: write ", number, std::string(spelling[1]));
    }
  }
  return "has an unknown unit: durations are written in us, ms, s, m or h, such as 10s or 500ms";
}

// `what` with its article, `form` an example.
template <size_t N>
absl::StatusOr<uint64_t> Parse(std::string_view text, const std::array<Unit, N>& units, uint64_t max,
                               std::string_view what, std::string_view form,
                               std::string (*advice)(const Parts&)) {
  const std::string expected =
      absl::StrCat("is not ", std::string(what), ": write a number and a unit, such as ", std::string(form));
  if (!text.empty() && text.front() == '-')
    return Invalid(text, "is negative: write a positive number with its unit");
  std::optional<Parts> parts = Split(text);
  if (!parts) return Invalid(text, expected);
  if (!parts->unit.empty() && parts->unit.front() == ' ') {
    return Invalid(text, "has a space between number and unit: leave it out");
  }
  const Unit* unit = FindUnit(units, parts->unit);
  if (unit == nullptr) return Invalid(text, advice(*parts));
  uint64_t value = 0;
  switch (Scale(parts->number, unit->factor, max, &value)) {
    case Scaled::kTooLarge:
      return Invalid(text, "is too large: it does not fit 64 bits");
    case Scaled::kNotWhole:
      return Invalid(text, absl::StrCat("is not a whole number of ",
                                        units[0].factor == 1 ? std::string(units[0].name) : std::string("ns"),
                                        ": write it with fewer decimals or a smaller unit"));
    case Scaled::kOk:
      break;
  }
  return value;
}

}  // namespace

absl::StatusOr<uint64_t> ParseSizeBytes(std::string_view text) {
  return Parse(text, kSizes, std::numeric_limits<uint64_t>::max(), "a size", "1472B or 64KiB", SizeAdvice);
}

absl::StatusOr<uint64_t> ParseRateBps(std::string_view text) {
  return Parse(text, kRates, std::numeric_limits<uint64_t>::max(), "a rate", "100Mbps", RateAdvice);
}

bool IsMessageRate(std::string_view text) {
  const std::optional<Parts> parts = Split(text);
  return parts && parts->unit.size() >= 3 && Lower(parts->unit.substr(parts->unit.size() - 3)) == "pps";
}

absl::StatusOr<uint64_t> ParseMessageRate(std::string_view text) {
  return Parse(text, kMessageRates, std::numeric_limits<uint64_t>::max(), "a rate", "5000pps",
               [](const Parts&) -> std::string {
                 return "has an unknown unit: messages per second are written in pps, Kpps or Mpps, such as "
                        "5000pps";
               });
}

absl::StatusOr<int64_t> ParseDurationNs(std::string_view text) {
  absl::StatusOr<uint64_t> ns = Parse(text, kDurations, std::numeric_limits<int64_t>::max(), "a duration",
                                      "10s or 500ms", DurationAdvice);
  if (!ns.ok()) return ns.status();
  return static_cast<int64_t>(*ns);
}

absl::StatusOr<double> ParsePercent(std::string_view text) {
  if (!text.empty() && text.front() == '-')
    return Invalid(text, "is negative: write a percentage from 0% to 100%");
  std::optional<Parts> parts = Split(text);
  if (!parts || (!parts->unit.empty() && parts->unit != "%") || parts->number.size() > 18) {
    return Invalid(text, "is not a percentage: write a number and %, such as 99%");
  }
  if (parts->unit.empty()) {
    uint64_t hundredfold = 0;
    std::string first = absl::StrCat(std::string(parts->number), "%");
    if (Scale(parts->number, 100, 100, &hundredfold) == Scaled::kOk && hundredfold > 0) {
      return Invalid(text, absl::StrCat("can be read two ways: write ", hundredfold, "% or ", first));
    }
    return Invalid(text, absl::StrCat("has no unit: write ", first));
  }
  const double percent = std::stod(std::string(parts->number));  // digits and one point only: cannot throw
  if (percent > 100) return Invalid(text, "is over 100%");
  return percent / 100;
}

absl::StatusOr<double> ParseWithUnit(std::string_view text, std::string_view unit) {
  const std::string due(unit);
  if (!text.empty() && text.front() == '-') return Invalid(text, "is negative: write 0 or more");
  const std::optional<Parts> parts = Split(text);
  if (!parts || parts->number.size() > 18) {
    return Invalid(text, absl::StrCat("is no number", due.empty() ? "" : " with its unit", ": write 5", due,
                                      " or 0.5", due));
  }
  const std::string number(parts->number);
  if (parts->unit != unit) {
    const std::string why = parts->unit.empty()          ? "has no unit"
                            : parts->unit.front() == ' ' ? "has a space between number and unit"
                            : due.empty()                ? "has a unit where none is due"
                                                         : "has a wrong unit";
    return Invalid(text, absl::StrCat(why, ": write ", number, due));
  }
  return std::stod(number);  // digits and one point only: cannot throw
}

}  // namespace tutti
