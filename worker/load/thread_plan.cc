#include "worker/load/thread_plan.h"

#include <map>

#include "absl/strings/str_cat.h"

namespace tutti::load {

std::string ThreadPlan::Name(const std::vector<StreamConfig>& configs) const {
  if (in_turn) return absl::StrCat("tutti-cpu", cpu.value_or(0));
  return absl::StrCat("tutti-s", configs[streams.front()].stream_id % 10'000'000);
}

std::vector<ThreadPlan> PlanThreads(const std::vector<StreamConfig>& configs,
                                    const std::vector<uint32_t>& allowed_cpus) {
  std::vector<ThreadPlan> threads;
  std::map<uint32_t, size_t> of_cpu;
  std::map<Side, size_t> dealt;
  for (size_t i = 0; i < configs.size(); ++i) {
    const StreamConfig& config = configs[i];
    if (config.threads == ThreadChoice::kPerStream) {
      threads.push_back({.streams = {i}});
      continue;
    }
    const uint32_t cpu = config.cpu ? *config.cpu : allowed_cpus[dealt[config.side]++ % allowed_cpus.size()];
    const auto [found, added] = of_cpu.try_emplace(cpu, threads.size());
    if (added) threads.push_back({.in_turn = true, .cpu = cpu});
    threads[found->second].streams.push_back(i);
  }
  return threads;
}

}  // namespace tutti::load
