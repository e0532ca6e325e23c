#include "coordinator/results/plausible_report.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/time/clock.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Of datagrams, not of bytes.
bool CountsDatagrams(const FieldDescriptor& field) {
  const bool of_cohort = field.containing_type() == v1::SentCohort::descriptor() ||
                         field.containing_type() == v1::ReceivedCohort::descriptor();
  return of_cohort && field.name() != "bytes";
}

bool CountsSinceBoot(const FieldDescriptor& field) {
  return field.message_type()->file() == v1::CpuReading::descriptor()->file();
}

// The counters of one reading or of one report, summed field by field.
class Sums {
 public:
  explicit Sums(const ReportBounds& bounds)
      : most_(kMostOfATrial / std::max<size_t>(1, bounds.hosts)),
        most_datagrams_(most_ / std::max<uint64_t>(1, bounds.largest_datagram_bytes)) {}

  // All of the message but the fields of this name.
  void Add(const Message& message, const char* left_out = "") {
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count() && why_.empty(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (field.name() != left_out) AddField(message, field);
    }
  }

  std::string TakeWhy() { return std::move(why_); }

 private:
  void AddField(const Message& message, const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        return AddInstants(message, field);
      case FieldDescriptor::CPPTYPE_UINT64:
        // Ids are fixed64.
        if (field.type() == FieldDescriptor::TYPE_UINT64) AddCounters(message, field);
        return;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return AddMessages(message, field);
      default:
        return;
    }
  }

  void AddInstants(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (!field.is_repeated()) return AddInstant(reflection.GetInt64(message, &field));
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size; ++i) AddInstant(reflection.GetRepeatedInt64(message, &field, i));
  }

  void AddInstant(int64_t ns) {
    if (!IsPlausibleNs(ns)) why_ = "has instants that no clock shows";
  }

  void AddCounters(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    uint64_t& sum = sums_[&field];
    if (!field.is_repeated()) return AddCounter(field, reflection.GetUInt64(message, &field), sum);
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size; ++i) {
      AddCounter(field, reflection.GetRepeatedUInt64(message, &field, i), sum);
    }
  }

  void AddCounter(const FieldDescriptor& field, uint64_t count, uint64_t& sum) {
    const uint64_t most = CountsDatagrams(field) ? most_datagrams_ : most_;
    if (sum <= most && count <= most - sum) {
      sum += count;
      return;
    }
    why_ = absl::StrCat("has ", field.name(), " of more than ", most,
                        " in all, beyond which nothing can be added to it");
  }

  void AddMessages(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (CountsSinceBoot(field)) return;
    if (!field.is_repeated()) {
      if (reflection.HasField(message, &field)) Add(reflection.GetMessage(message, &field));
      return;
    }
    const int size = reflection.FieldSize(message, &field);
    for (int i = 0; i < size && why_.empty(); ++i) {
      Add(reflection.GetRepeatedMessage(message, &field, i));
    }
  }

  const uint64_t most_;
  const uint64_t most_datagrams_;
  std::map<const FieldDescriptor*, uint64_t> sums_;
  std::string why_;  // not empty: nothing more is looked at
};

std::string WhyNot(const Message& message, const ReportBounds& bounds, const char* left_out = "") {
  Sums sums(bounds);
  sums.Add(message, left_out);
  return sums.TakeWhy();
}

}  // namespace

std::string WhyUnusable(const v1::StreamReport& report, const ReportBounds& bounds) {
  return WhyNot(report, bounds);
}

std::string WhyUnusable(const v1::EdgeSample& edge, const ReportBounds& bounds) {
  if (!IsPlausibleNs(edge.cpu().host_ns()) || !IsPlausibleNs(edge.cpu().uncertainty_ns())) {
    return "has instants that no clock shows";
  }
  return WhyNot(edge, bounds);
}

std::string WhyUnusable(const v1::TrialReport& report, const ReportBounds& bounds) {
  if (static_cast<uint64_t>(report.edges_size()) > uint64_t{bounds.intervals} + 1) {
    return absl::StrCat("has ", report.edges_size(), " readings of a window that has ",
                        uint64_t{bounds.intervals} + 1);
  }
  // Counters are cumulative: what is added up is never more than one reading of them.
  for (const v1::EdgeSample& edge : report.edges()) {
    if (std::string why = WhyUnusable(edge, bounds); !why.empty()) return why;
  }
  return WhyNot(report, bounds, "edges");
}

}  // namespace tutti::results
