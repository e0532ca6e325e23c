#include "worker/load/shared_buffers.h"

#include "common/status/macros.h"
#include "worker/load/payload.h"

namespace tutti::load {

absl::StatusOr<MessageBuffer*> SharedBuffers::OfSize(Side side, uint64_t bytes) {
  std::unique_ptr<MessageBuffer>& buffer = buffers_[{side, bytes}];
  if (buffer == nullptr) {
    auto made = std::make_unique<MessageBuffer>();
    TUTTI_RETURN_IF_ERROR(made->Allocate(bytes));
    buffer = std::move(made);
  }
  return buffer.get();
}

void SharedBuffers::Fill(absl::FunctionRef<bool()> stopping) {
  for (auto& [key, buffer] : buffers_) {
    if (!FillPayload(*buffer, stopping)) return;
  }
}

}  // namespace tutti::load
