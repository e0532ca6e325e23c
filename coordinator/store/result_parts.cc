#include "coordinator/store/result_parts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/util/field_mask_util.h>

namespace tutti::store {
namespace {

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

}  // namespace tutti::store
