#include "coordinator/store/result_parts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/util/field_mask_util.h>

#include <set>
#include <vector>

#include "coordinator/store/column_fields.h"

namespace tutti::store {
namespace {

namespace v1 = tutti::v1;

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::FieldMaskUtil;

// Copying the whole and clearing a field would copy the series too.
void CopyWithout(int field_number, const google::protobuf::Message& from, google::protobuf::Message& to) {
  google::protobuf::FieldMask mask;
  const google::protobuf::Descriptor* type = from.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    if (type->field(i)->number() != field_number) mask.add_paths(type->field(i)->name());
  }
  FieldMaskUtil::MergeMessageTo(from, mask, FieldMaskUtil::MergeOptions(), &to);
}

std::set<const FieldDescriptor*> FieldsOfIntervals() {
  std::set<const FieldDescriptor*> fields;
  const auto add = [&fields](const Descriptor& type, const std::vector<int>& numbers) {
    for (const int number : numbers) fields.insert(type.FindFieldByNumber(number));
  };
  using v1::EntryResult;
  using v1::StreamReport;
  using v1::StreamResult;
  add(*v1::TrialResult::descriptor(), {v1::TrialResult::kTimelineFieldNumber});
  add(*EntryResult::descriptor(),
      {EntryResult::kSentBytesIntervalsFieldNumber, EntryResult::kReceivedBytesIntervalsFieldNumber,
       EntryResult::kLostIntervalsFieldNumber});
  add(*StreamResult::descriptor(),
      {StreamResult::kSentBytesIntervalsFieldNumber, StreamResult::kReceivedBytesIntervalsFieldNumber,
       StreamResult::kLostIntervalsFieldNumber, StreamResult::kTcpSeriesFieldNumber,
       StreamResult::kSocketDropsIntervalsFieldNumber});
  add(*StreamReport::descriptor(),
      {StreamReport::kSentCohortsFieldNumber, StreamReport::kReceivedCohortsFieldNumber});
  return fields;
}

void CopyValues(const Message& from, const FieldDescriptor* field, Message& to);

void CopyWithoutIntervals(const Message& from, Message& to) {
  std::vector<const FieldDescriptor*> fields;
  from.GetReflection()->ListFields(from, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!IsOfIntervals(*field)) CopyValues(from, field, to);
  }
}

// Of a field that `from` has.
void CopyValues(const Message& from, const FieldDescriptor* field, Message& to) {
  const Reflection& with = *from.GetReflection();
  const bool many = field->is_repeated();
  const int count = many ? with.FieldSize(from, field) : 1;
  for (int i = 0; i < count; ++i) {
    switch (KindOf(*field)) {
      case ColumnKind::kMessage:
        if (many) {
          CopyWithoutIntervals(with.GetRepeatedMessage(from, field, i), *with.AddMessage(&to, field));
        } else {
          CopyWithoutIntervals(with.GetMessage(from, field), *with.MutableMessage(&to, field));
        }
        break;
      case ColumnKind::kText:
        if (many) {
          with.AddString(&to, field, with.GetRepeatedString(from, field, i));
        } else {
          with.SetString(&to, field, with.GetString(from, field));
        }
        break;
      case ColumnKind::kNumber:
      case ColumnKind::kDouble:
        PutBits(to, field, BitsOf(from, field, i));
        break;
    }
  }
}

}  // namespace

tutti::v1::Result HeadOf(const tutti::v1::Result& result) {
  tutti::v1::Result head;
  CopyWithout(tutti::v1::Result::kCasesFieldNumber, result, head);
  return head;
}

tutti::v1::CaseResult SummaryOf(const tutti::v1::CaseResult& result) {
  tutti::v1::CaseResult summary;
  CopyWithout(tutti::v1::CaseResult::kTrialsFieldNumber, result, summary);
  return summary;
}

bool IsOfIntervals(const FieldDescriptor& field) {
  static const std::set<const FieldDescriptor*>& fields =
      *new std::set<const FieldDescriptor*>(FieldsOfIntervals());
  return fields.contains(&field);
}

tutti::v1::Result WithoutIntervals(const tutti::v1::Result& result) {
  v1::Result without;
  CopyWithoutIntervals(result, without);
  without.set_intervals_left_out(true);
  return without;
}

}  // namespace tutti::store
