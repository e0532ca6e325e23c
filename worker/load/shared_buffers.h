// The memory of messages that the streams of one thread share: it serves them in turn, and all that differs
// between their messages is written before each call. Without it 10,000 streams that read 128 KiB at a time
// would take 1.3 GB. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "worker/load/message_buffer.h"
#include "worker/load/stream_config.h"

namespace tutti::load {

class SharedBuffers {
 public:
  // The one of this side and size, which stays where it is. ResourceExhausted if there is no room.
  absl::StatusOr<MessageBuffer*> OfSize(Side side, uint64_t bytes);

  // Writes to all of them, on the thread that will use them; returns early if `stopping`.
  void Fill(absl::FunctionRef<bool()> stopping);

 private:
  std::map<std::pair<Side, uint64_t>, std::unique_ptr<MessageBuffer>> buffers_;
};

}  // namespace tutti::load
