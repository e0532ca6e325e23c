#include "coordinator/store/column_codec.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "common/status/macros.h"
#include "coordinator/store/column_fields.h"
#include "coordinator/store/compression.h"
#include "coordinator/store/number_run.h"

namespace tutti::store {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

using Rows = std::vector<const Message*>;  // all of one type
using MutableRows = std::vector<Message*>;
using Numbers = std::vector<uint64_t>;

// No list is longer.
constexpr uint64_t kMaxElements = uint64_t{1} << 30;

uint64_t TagOf(const FieldDescriptor& field) {
  return static_cast<uint64_t>(KindOf(field)) * 2 + (field.is_repeated() ? 1 : 0);
}

uint64_t Sum(const Numbers& counts) {
  uint64_t sum = 0;
  for (const uint64_t count : counts) {
    // Beyond the limits it need not be exact.
    if (count > kMaxElements || sum > kMaxElements) return kMaxElements + 1;
    sum += count;
  }
  return sum;
}

// Calls visit(row, index) for every element of lists of these lengths, in the order in which they are stored.
template <typename Visit>
void ForEachElement(const Numbers& counts, Visit visit) {
  const uint64_t longest = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  if (longest > counts.size()) {
    for (size_t row = 0; row < counts.size(); ++row) {
      for (uint64_t index = 0; index < counts[row]; ++index) visit(row, static_cast<int>(index));
    }
    return;
  }
  // The rows that are longer than `index`: one long list among many short ones costs no more than its
  // elements.
  std::vector<size_t> rows(counts.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  for (uint64_t index = 0; index < longest; ++index) {
    std::erase_if(rows, [&](size_t row) { return counts[row] <= index; });
    for (const size_t row : rows) visit(row, static_cast<int>(index));
  }
}

// --- writing -------------------------------------------------------------------------------------

void AppendRows(const Rows& rows, std::string& out);

void AppendDoubles(const Numbers& bits, std::string& out) {
  if (bits.empty()) return;
  // Little-endian, as every machine that we build for is.
  const size_t at = out.size();
  out.resize(at + bits.size() * sizeof(uint64_t));
  std::memcpy(out.data() + at, bits.data(), bits.size() * sizeof(uint64_t));
}

void AppendScalars(const Numbers& bits, const FieldDescriptor& field, std::string& out) {
  if (KindOf(field) == ColumnKind::kDouble) return AppendDoubles(bits, out);
  AppendRun(bits, out);
}

void AppendTexts(const std::vector<std::string>& texts, std::string& out) {
  Numbers sizes;
  for (const std::string& text : texts) sizes.push_back(text.size());
  AppendRun(sizes, out);
  for (const std::string& text : texts) out.append(text);
}

// False where no row has an element.
bool AppendRepeated(const Rows& rows, const FieldDescriptor* field, std::string& out) {
  Numbers counts;
  for (const Message* row : rows) {
    counts.push_back(static_cast<uint64_t>(row->GetReflection()->FieldSize(*row, field)));
  }
  if (Sum(counts) == 0) return false;
  AppendRun(counts, out);
  if (KindOf(*field) == ColumnKind::kMessage) {
    Rows elements;
    ForEachElement(counts, [&](size_t row, int index) {
      elements.push_back(&rows[row]->GetReflection()->GetRepeatedMessage(*rows[row], field, index));
    });
    AppendRows(elements, out);
    return true;
  }
  // A list of scalars is a series of its own: one run for each row.
  for (size_t row = 0; row < rows.size(); ++row) {
    const int count = static_cast<int>(counts[row]);
    if (KindOf(*field) == ColumnKind::kText) {
      std::vector<std::string> texts;
      texts.reserve(counts[row]);
      for (int i = 0; i < count; ++i) {
        texts.push_back(rows[row]->GetReflection()->GetRepeatedString(*rows[row], field, i));
      }
      AppendTexts(texts, out);
      continue;
    }
    Numbers bits(counts[row]);
    for (int i = 0; i < count; ++i) bits[static_cast<size_t>(i)] = BitsOf(*rows[row], field, i);
    AppendScalars(bits, *field, out);
  }
  return true;
}

// False where no row has a value other than the field's default.
bool AppendSingular(const Rows& rows, const FieldDescriptor* field, std::string& out) {
  Rows present;
  if (field->has_presence()) {
    Numbers flags;
    for (const Message* row : rows) {
      const bool has = row->GetReflection()->HasField(*row, field);
      flags.push_back(has ? 1 : 0);
      if (has) present.push_back(row);
    }
    if (present.empty()) return false;
    AppendRun(flags, out);
  } else {
    present = rows;
  }
  bool any = field->has_presence();
  if (KindOf(*field) == ColumnKind::kMessage) {
    for (const Message*& row : present) row = &row->GetReflection()->GetMessage(*row, field);
    AppendRows(present, out);
  } else if (KindOf(*field) == ColumnKind::kText) {
    std::vector<std::string> texts;
    for (const Message* row : present) {
      texts.push_back(row->GetReflection()->GetString(*row, field));
      any = any || !texts.back().empty();
    }
    AppendTexts(texts, out);
  } else {
    Numbers bits;
    for (const Message* row : present) {
      bits.push_back(BitsOf(*row, field, 0));
      any = any || bits.back() != 0;
    }
    AppendScalars(bits, *field, out);
  }
  return any;
}

// Of each field that any row has: number, kind, size and content; then 0.
void AppendRows(const Rows& rows, std::string& out) {
  const Descriptor* type = rows.front()->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    std::string content;
    const bool any =
        field->is_repeated() ? AppendRepeated(rows, field, content) : AppendSingular(rows, field, content);
    if (!any) continue;
    AppendVarint(static_cast<uint64_t>(field->number()), out);
    AppendVarint(TagOf(*field), out);
    AppendVarint(content.size(), out);
    out.append(content);
  }
  AppendVarint(0, out);
}

// --- reading: false for what AppendRows cannot have written ---------------------------------------

struct Decoding {
  DecodeLimits left;
  LeavesOut leaves_out = nullptr;
};

bool ReadRows(const MutableRows& rows, ByteReader& reader, Decoding& decoding);

// Takes `count` of what is left; false where there is not as much.
bool Spend(uint64_t count, uint64_t& left) {
  if (count > left) return false;
  left -= count;
  return true;
}

bool ReadDoubles(size_t count, ByteReader& reader, Numbers& bits) {
  std::string_view bytes;
  if (count > kMaxElements || !reader.ReadBytes(count * sizeof(uint64_t), bytes)) return false;
  bits.resize(count);
  if (count == 0) return true;
  std::memcpy(bits.data(), bytes.data(), bytes.size());
  return true;
}

bool ReadScalars(size_t count, const FieldDescriptor& field, ByteReader& reader, Numbers& bits) {
  return KindOf(field) == ColumnKind::kDouble ? ReadDoubles(count, reader, bits)
                                              : reader.ReadRun(count, bits);
}

// Calls put(i, text) for each of them.
template <typename Put>
bool ReadTexts(size_t count, ByteReader& reader, Put put) {
  Numbers sizes;
  if (!reader.ReadRun(count, sizes)) return false;
  for (size_t i = 0; i < count; ++i) {
    std::string_view text;
    if (!reader.ReadBytes(sizes[i], text)) return false;
    put(i, std::string(text));
  }
  return true;
}

bool ReadRepeatedScalars(const MutableRows& rows, const Numbers& counts, const FieldDescriptor* field,
                         ByteReader& reader) {
  Numbers bits;
  for (size_t row = 0; row < rows.size(); ++row) {
    Message& into = *rows[row];
    if (KindOf(*field) == ColumnKind::kText) {
      const auto add = [&](size_t, std::string text) {
        into.GetReflection()->AddString(&into, field, std::move(text));
      };
      if (!ReadTexts(counts[row], reader, add)) return false;
      continue;
    }
    if (!ReadScalars(counts[row], *field, reader, bits)) return false;
    for (const uint64_t each : bits) PutBits(into, field, each);
  }
  return true;
}

bool ReadRepeated(const MutableRows& rows, const FieldDescriptor* field, ByteReader& reader,
                  Decoding& decoding) {
  Numbers counts;
  if (!reader.ReadRun(rows.size(), counts)) return false;
  const bool messages = KindOf(*field) == ColumnKind::kMessage;
  const uint64_t elements = Sum(counts);
  DecodeLimits& left = decoding.left;
  if (elements == 0 || !Spend(elements, messages ? left.messages : left.elements)) return false;
  if (!messages) return ReadRepeatedScalars(rows, counts, field, reader);
  MutableRows added;
  added.reserve(elements);
  ForEachElement(counts, [&](size_t row, int) {
    added.push_back(rows[row]->GetReflection()->AddMessage(rows[row], field));
  });
  return ReadRows(added, reader, decoding);
}

bool ReadSingular(const MutableRows& rows, const FieldDescriptor* field, ByteReader& reader,
                  Decoding& decoding) {
  MutableRows present;
  if (field->has_presence()) {
    Numbers flags;
    if (!reader.ReadRun(rows.size(), flags)) return false;
    for (size_t row = 0; row < rows.size(); ++row) {
      if (flags[row] != 0) present.push_back(rows[row]);
    }
    if (present.empty()) return false;
  } else {
    present = rows;
  }
  if (KindOf(*field) == ColumnKind::kMessage) {
    if (!Spend(present.size(), decoding.left.messages)) return false;
    for (Message*& row : present) row = row->GetReflection()->MutableMessage(row, field);
    return ReadRows(present, reader, decoding);
  }
  if (KindOf(*field) == ColumnKind::kText) {
    return ReadTexts(present.size(), reader, [&](size_t row, std::string text) {
      present[row]->GetReflection()->SetString(present[row], field, std::move(text));
    });
  }
  Numbers bits;
  if (!ReadScalars(present.size(), *field, reader, bits)) return false;
  for (size_t row = 0; row < present.size(); ++row) PutBits(*present[row], field, bits[row]);
  return true;
}

bool ReadRows(const MutableRows& rows, ByteReader& reader, Decoding& decoding) {
  const Descriptor* type = rows.front()->GetDescriptor();
  std::set<uint64_t> seen;
  while (true) {
    uint64_t number = 0;
    if (!reader.ReadVarint(number)) return false;
    if (number == 0) return true;
    if (!seen.insert(number).second) return false;
    uint64_t tag = 0;
    uint64_t size = 0;
    std::string_view content;
    if (!reader.ReadVarint(tag) || !reader.ReadVarint(size) || !reader.ReadBytes(size, content)) return false;
    const FieldDescriptor* field =
        number > FieldDescriptor::kMaxNumber ? nullptr : type->FindFieldByNumber(static_cast<int>(number));
    if (field == nullptr || TagOf(*field) != tag) continue;
    if (decoding.leaves_out != nullptr && decoding.leaves_out(*field)) continue;
    ByteReader inner(content);
    const bool read = field->is_repeated() ? ReadRepeated(rows, field, inner, decoding)
                                           : ReadSingular(rows, field, inner, decoding);
    if (!read || !inner.empty()) return false;
  }
}

}  // namespace

std::string EncodeColumns(const Message& message) {
  std::string out;
  AppendRows({&message}, out);
  return out;
}

absl::Status DecodeColumns(std::string_view bytes, Message& message, const DecodeLimits& limits,
                           LeavesOut leaves_out) {
  ByteReader reader(bytes);
  Decoding decoding{.left = limits, .leaves_out = leaves_out};
  if (ReadRows({&message}, reader, decoding) && reader.empty()) return absl::OkStatus();
  return absl::DataLossError("stored columns of " + message.GetTypeName() + " cannot be read");
}

absl::StatusOr<std::string> PackMessage(const Message& message) { return Compress(EncodeColumns(message)); }

absl::Status UnpackMessage(std::string_view packed, Message& message, LeavesOut leaves_out) {
  TUTTI_ASSIGN_OR_RETURN(const std::string bytes, Decompress(packed));
  return DecodeColumns(bytes, message, {}, leaves_out);
}

}  // namespace tutti::store
