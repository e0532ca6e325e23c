#include "coordinator/cli/printable_message.h"

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

#include "common/status/printable.h"

namespace tutti::cli {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

void MakePrintable(Message& message) {
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool repeated = field->is_repeated();
    const int count = repeated ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        MakePrintable(repeated ? *reflection.MutableRepeatedMessage(&message, field, i)
                               : *reflection.MutableMessage(&message, field));
      } else if (field->type() == FieldDescriptor::TYPE_STRING && repeated) {
        const std::string text = PrintableLines(reflection.GetRepeatedString(message, field, i));
        reflection.SetRepeatedString(&message, field, i, text);
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        reflection.SetString(&message, field, PrintableLines(reflection.GetString(message, field)));
      }
    }
  }
}

}  // namespace tutti::cli
