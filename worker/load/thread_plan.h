// Which threads a trial has on this host, and which streams each of them serves. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/load/stream_config.h"

namespace tutti::load {

struct ThreadPlan {
  std::vector<size_t> streams;  // places in the list of configs
  bool in_turn = false;         // `threads: per_cpu`: it serves all of them, pinned to `cpu`
  std::optional<uint32_t> cpu;

  // At most 15 characters.
  std::string Name(const std::vector<StreamConfig>& configs) const;
};

// One thread for each stream that has one to itself. Of the others one for each CPU that their plan chose for
// them; where it chose none they are dealt out over `allowed_cpus` (not empty), senders and receivers each
// evenly.
std::vector<ThreadPlan> PlanThreads(const std::vector<StreamConfig>& configs,
                                    const std::vector<uint32_t>& allowed_cpus);

}  // namespace tutti::load
