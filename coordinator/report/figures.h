// Figures as the text reports print them; "-" where a figure does not exist. Pure.
#pragma once

#include <string>

#include "coordinator/report/report.h"
#include "tutti/v1/result.pb.h"

namespace tutti::report {

inline constexpr char kNone[] = "-";

// Median, minimum and maximum in one unit: "3.78 Gbps (3.70..3.80)"; over one trial only the value.
std::string RateWithRange(bool present, const tutti::v1::Spread& spread);
// Medians alone.
std::string Rate(bool present, const tutti::v1::Spread& spread);
std::string Percent(bool present, const tutti::v1::Spread& spread);
// Of 0 to 1: "0.998"; what is not quite 1 is not printed as 1.
std::string Index(bool present, const tutti::v1::Spread& spread);
std::string Index(double value);
std::string Duration(bool present, const tutti::v1::Spread& spread);
std::string Count(bool present, const tutti::v1::Spread& spread);
// "1.53 (77%)": cores busy, and of how much of the machines' CPUs.
std::string Cores(const tutti::v1::CpuSummary& cpu);
// In us/KB, to three significant digits.
std::string ServiceDemand(const tutti::v1::CpuSummary& cpu);
// "848", "5.95", "0.0123".
std::string ThreeDigits(double value);

std::string Cores(const tutti::v1::CpuUse& cpu);
// "1048576" or, with a part missing, ">=1000 (3 of 4)".
std::string TotalText(const tutti::v1::Total& total);
// "4.20 Gbps" of bytes over ns; "-" for an empty span.
std::string RateOver(uint64_t bytes, int64_t elapsed_ns);
// "12.3s", of trial time.
std::string Seconds(int64_t ns);

// "streams=4 socket_buffer=1MiB"; empty without a matrix.
std::string MatrixValues(const google::protobuf::RepeatedPtrField<tutti::v1::AxisValue>& values);

enum class Mood { kGood, kWarning, kBad };
// `text` in the mood's colour, if the style has colours.
std::string Colored(std::string_view text, Mood mood, const Style& style);
std::string Bold(std::string_view text, const Style& style);
Mood MoodOf(tutti::v1::TrialStatus status);
Mood MoodOf(tutti::v1::CaseStatus status);
Mood MoodOf(tutti::v1::RunStatus status);

// "over limit" of over_limit.
std::string Words(std::string enum_name);

}  // namespace tutti::report
