// Reads every counter at each edge of the window's grid, on a thread of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "worker/load/load_thread.h"
#include "worker/load/load_trial.h"
#include "worker/load/rx_follower.h"
#include "worker/load/stream.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

// Run is called once, on the sampler's thread; everything else before it or after its thread was joined.
class Sampler {
 public:
  // Of more streams than these TCP_INFO and drops are read at the window's two ends only: at a microsecond
  // each the sampler would take a part of a CPU that shows, and an interval's edge would last as long as the
  // interval.
  static constexpr size_t kMostSocketsAtEveryEdge = 1024;

  // All but `grid` outlive the sampler; `first_streams` has the first stream of each of `threads`, whose
  // column has the thread's CPU time.
  Sampler(const WindowGrid& grid, const std::vector<std::unique_ptr<Stream>>& streams,
          const std::vector<LoadThread>& threads, std::vector<size_t> first_streams);

  // Outlives the sampler; nullptr: none. Has its turns during the warm-up.
  void set_rx_follower(RxFollower* follower) { rx_follower_ = follower; }
  // Called on the sampler's thread after each edge was read.
  void set_on_edge(std::function<void(const Edge&)> on_edge) { on_edge_ = std::move(on_edge); }

  // Returns after the window's last edge, or early when the trial stops.
  void Run(const TrialClock& clock, const TrialControl& control);

  int64_t worst_lateness_ns() const { return worst_lateness_ns_; }
  uint64_t own_cpu_ns() const { return own_cpu_ns_; }                  // of Run
  uint64_t load_thread_cpu_ns() const { return load_thread_cpu_ns_; }  // between first and last edge
  // SK_MEMINFO_DROPS between the window's edges, modulo 2^32; nullopt if not read at both.
  std::optional<uint64_t> WindowDrops(size_t stream) const;
  // SO_INCOMING_CPU at the window's end; nullopt if not known.
  std::optional<uint32_t> WindowRxCpu(size_t stream) const { return last_rx_cpus_[stream]; }

 private:
  void ReadEdge(const TrialClock& clock, size_t index);
  // Of each socket, by system calls.
  void ReadSockets(size_t index);
  void ReadDrops();
  uint64_t ThreadCpuSum() const;

  const WindowGrid grid_;
  const std::vector<std::unique_ptr<Stream>>& streams_;
  const std::vector<LoadThread>& threads_;
  const std::vector<size_t> first_streams_;
  std::function<void(const Edge&)> on_edge_;
  RxFollower* rx_follower_ = nullptr;
  Edge edge_;                                   // one for all: nothing is allocated once the trial runs
  std::vector<std::optional<uint32_t>> drops_;  // at the latest edge
  std::vector<std::optional<uint32_t>> first_drops_;
  std::vector<std::optional<uint32_t>> last_drops_;
  std::vector<std::optional<uint32_t>> last_rx_cpus_;
  int64_t worst_lateness_ns_ = 0;
  uint64_t own_cpu_ns_ = 0;
  uint64_t first_cpu_ns_ = 0;
  uint64_t load_thread_cpu_ns_ = 0;
};

}  // namespace tutti::load
