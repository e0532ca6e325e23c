#include "worker/session/backoff.h"

#include <algorithm>

namespace tutti::session {

int64_t Backoff::NextDelayNs() {
  const int64_t ceiling = ceiling_ns_;
  ceiling_ns_ = std::min(ceiling_ns_ * 2, max_ns_);
  return std::uniform_int_distribution<int64_t>(ceiling / 2, ceiling)(random_);
}

}  // namespace tutti::session
