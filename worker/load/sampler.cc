#include "worker/load/sampler.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "worker/load/rx_cpu.h"

namespace tutti::load {
namespace {

uint64_t ThisThreadCpuNs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

// What is read of each socket by system calls.
std::array<std::vector<uint64_t>*, 10> SocketColumns(Edge& edge) {
  return {&edge.retransmits,   &edge.kernel_bytes,    &edge.rtt_us,
          &edge.cwnd_segments, &edge.queued_bytes,    &edge.delivery_rate_bytes_per_s,
          &edge.busy_us,       &edge.rwnd_limited_us, &edge.sndbuf_limited_us,
          &edge.socket_drops};
}

}  // namespace

Sampler::Sampler(const WindowGrid& grid, const std::vector<std::unique_ptr<Stream>>& streams,
                 const std::vector<LoadThread>& threads, std::vector<size_t> first_streams)
    : grid_(grid),
      streams_(streams),
      threads_(threads),
      first_streams_(std::move(first_streams)),
      drops_(streams.size()),
      first_drops_(streams.size()),
      last_drops_(streams.size()),
      last_rx_cpus_(streams.size()) {
  for (auto* column : {&edge_.bytes, &edge_.messages, &edge_.thread_cpu_ns}) {
    column->assign(streams.size(), 0);
  }
  for (auto* column : SocketColumns(edge_)) column->reserve(streams.size());
}

void Sampler::Run(const TrialClock& clock, const TrialControl& control) {
  const uint64_t begin_cpu_ns = ThisThreadCpuNs();
  if (rx_follower_ != nullptr && !rx_follower_->Follow(grid_, clock, control)) return;
  for (size_t index = 0; index <= grid_.intervals(); ++index) {
    if (!control.SleepUntil(clock.ToMonotonicNs(grid_.EdgeNs(index)))) break;
    ReadEdge(clock, index);
    if (index == 0) {
      first_cpu_ns_ = ThreadCpuSum();
      first_drops_ = drops_;
    }
    if (index == grid_.intervals()) {
      load_thread_cpu_ns_ = ThreadCpuSum() - first_cpu_ns_;
      last_drops_ = drops_;
      for (size_t i = 0; i < streams_.size(); ++i) last_rx_cpus_[i] = RxCpu(streams_[i]->rx_socket());
    }
    if (on_edge_) on_edge_(edge_);
  }
  own_cpu_ns_ = ThisThreadCpuNs() - begin_cpu_ns;
}

// The counters that rates are made of come first, close together, and the edge is their instant; TCP_INFO may
// wait for a socket's lock.
void Sampler::ReadEdge(const TrialClock& clock, size_t index) {
  edge_.index = static_cast<uint32_t>(index);
  edge_.due_trial_ns = grid_.EdgeNs(index);
  edge_.begin_trial_ns = clock.NowNs();
  for (size_t i = 0; i < streams_.size(); ++i) {
    edge_.bytes[i] = streams_[i]->counters().bytes();
    edge_.messages[i] = streams_[i]->counters().messages();
  }
  edge_.end_trial_ns = clock.NowNs();
  ReadSockets(index);
  for (size_t i = 0; i < threads_.size(); ++i) edge_.thread_cpu_ns[first_streams_[i]] = threads_[i].CpuNs();
  worst_lateness_ns_ = std::max(worst_lateness_ns_, edge_.begin_trial_ns - edge_.due_trial_ns);
}

// Columns that are not read are empty: what is not known is not 0.
void Sampler::ReadSockets(size_t index) {
  const bool ends = index == 0 || index == grid_.intervals();
  const bool reads = streams_.size() <= kMostSocketsAtEveryEdge || ends;
  for (auto* column : SocketColumns(edge_)) column->assign(reads ? streams_.size() : 0, 0);
  if (!reads) return;
  for (size_t i = 0; i < streams_.size(); ++i) streams_[i]->ReadTcp(edge_, i);
  ReadDrops();
}

void Sampler::ReadDrops() {
  for (size_t i = 0; i < streams_.size(); ++i) {
    drops_[i] = streams_[i]->ReadDrops();
    edge_.socket_drops[i] = drops_[i].value_or(0);
  }
}

uint64_t Sampler::ThreadCpuSum() const {
  return std::accumulate(edge_.thread_cpu_ns.begin(), edge_.thread_cpu_ns.end(), uint64_t{0});
}

std::optional<uint64_t> Sampler::WindowDrops(size_t stream) const {
  if (!first_drops_[stream] || !last_drops_[stream]) return std::nullopt;
  return static_cast<uint32_t>(*last_drops_[stream] - *first_drops_[stream]);
}

}  // namespace tutti::load
