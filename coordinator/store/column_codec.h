// A message as columns: all values of one field lie together, whatever message of a list they came from, so
// that a series is a run of numbers and a name that every interval repeats costs next to nothing once it is
// compressed.
//
// Works by reflection on every message: a field that is added to a contract is stored without more code.
// Fields are known by their numbers, as on the wire: one that the reader does not know, or whose kind has
// changed, is skipped. Unknown fields are not kept. docs/decisions/0019-store.md has the reasons.
//
// Of messages in a list, the longer side runs fastest: intervals before the hosts within each, cohorts within
// each stream. Pure; thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::store {

// Not compressed.
std::string EncodeColumns(const google::protobuf::Message& message);

// How much one decoding makes in all. A few bytes may stand for any number of equal elements, so damage that
// the checksum of a frame has not caught must not make us take all memory.
struct DecodeLimits {
  uint64_t messages = uint64_t{1} << 26;
  uint64_t elements = uint64_t{1} << 30;  // of lists of scalars and texts
};

// Whether a field is left out when columns are read. Its columns are stepped over, which costs nothing
// however long they are; what is wrong within them is not seen.
using LeavesOut = bool (*)(const google::protobuf::FieldDescriptor& field);

// Into an empty message of the same type. `leaves_out`: null for nothing. DataLoss for bytes that
// EncodeColumns has not written, or beyond `limits`; `message` is then in an unspecified state.
absl::Status DecodeColumns(std::string_view bytes, google::protobuf::Message& message,
                           const DecodeLimits& limits = {}, LeavesOut leaves_out = nullptr);

// The same in a frame of compression.h; errors as there.
absl::StatusOr<std::string> PackMessage(const google::protobuf::Message& message);
absl::Status UnpackMessage(std::string_view packed, google::protobuf::Message& message,
                           LeavesOut leaves_out = nullptr);

}  // namespace tutti::store
