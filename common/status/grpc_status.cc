#include "common/status/grpc_status.h"

#include <string>
#include <string_view>

namespace tutti {
namespace {

// A peer of gRPC takes 8 KiB of metadata in all (GRPC_ARG_MAX_METADATA_SIZE), the message among them; where
// they are more it sees RESOURCE_EXHAUSTED in place of the status.
constexpr size_t kMostEncodedBytes = size_t{6} * 1024;

// What the percent-encoding of grpc-message makes of a byte.
size_t EncodedBytes(char c) { return c >= ' ' && c <= '~' && c != '%' ? 1 : 3; }

std::string Fitting(std::string_view message) {
  size_t encoded_bytes = 0;
  size_t kept = 0;
  while (kept < message.size()) {
    encoded_bytes += EncodedBytes(message[kept]);
    if (encoded_bytes > kMostEncodedBytes) break;
    ++kept;
  }
  if (kept == message.size()) return std::string(message);
  // Not in the middle of a UTF-8 character.
  while (kept > 0 && (static_cast<unsigned char>(message[kept]) & 0xC0) == 0x80) --kept;
  return std::string(message.substr(0, kept)) + " ... and " + std::to_string(message.size() - kept) +
         " more bytes";
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {static_cast<grpc::StatusCode>(status.code()),
          Fitting(std::string_view(status.message().data(), status.message().size()))};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return {static_cast<absl::StatusCode>(status.error_code()), status.error_message()};
}

}  // namespace tutti
