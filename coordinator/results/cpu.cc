#include "coordinator/results/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

// What one CPU did while it was online, in ns.
struct CpuSpan {
  int64_t online = 0;
  int64_t idle = 0;
  int64_t iowait = 0;
  int64_t steal = 0;
  int64_t guest = 0;
  int64_t user = 0;
  int64_t nice = 0;
  int64_t system = 0;
  int64_t irq = 0;
  int64_t softirq = 0;
  int64_t cpuidle = 0;
  bool has_cpuidle = true;

  int64_t ticks() const { return user + nice + system + irq + softirq; }
  bool UsesCpuidle() const { return has_cpuidle && std::llabs(cpuidle - idle - iowait) <= 2 * kTickNs; }
  // May be a little below 0 on an idle CPU, by the resolution of its columns.
  int64_t busy() const { return online - (UsesCpuidle() ? cpuidle : idle + iowait) - steal; }
};

int64_t Forward(uint64_t begin, uint64_t end) { return end > begin ? static_cast<int64_t>(end - begin) : 0; }

void Accumulate(const v1::CpuTimes& begin, const v1::CpuTimes& end, int64_t elapsed_ns, CpuSpan& span) {
  span.online += elapsed_ns;
  span.idle += Forward(begin.idle_ns(), end.idle_ns());
  span.iowait += Forward(begin.iowait_ns(), end.iowait_ns());
  span.steal += Forward(begin.steal_ns(), end.steal_ns());
  // Guest time is inside user and nice (proc(5)): shown apart, never added.
  span.guest +=
      Forward(begin.guest_ns(), end.guest_ns()) + Forward(begin.guest_nice_ns(), end.guest_nice_ns());
  span.user += Forward(begin.user_ns(), end.user_ns());
  span.nice += Forward(begin.nice_ns(), end.nice_ns());
  span.system += Forward(begin.system_ns(), end.system_ns());
  span.irq += Forward(begin.irq_ns(), end.irq_ns());
  span.softirq += Forward(begin.softirq_ns(), end.softirq_ns());
  if (begin.has_cpuidle_ns() && end.has_cpuidle_ns()) {
    span.cpuidle += Forward(begin.cpuidle_ns(), end.cpuidle_ns());
  } else {
    span.has_cpuidle = false;
  }
}

std::map<uint32_t, CpuSpan> SpansOf(const std::vector<const v1::CpuReading*>& readings) {
  std::map<uint32_t, CpuSpan> spans;
  for (size_t k = 0; k + 1 < readings.size(); ++k) {
    const int64_t elapsed_ns = readings[k + 1]->host_ns() - readings[k]->host_ns();
    if (elapsed_ns <= 0) continue;
    std::map<uint32_t, const v1::CpuTimes*> before;
    for (const v1::CpuTimes& cpu : readings[k]->cpus()) before[cpu.cpu()] = &cpu;
    for (const v1::CpuTimes& cpu : readings[k + 1]->cpus()) {
      const auto found = before.find(cpu.cpu());
      if (found != before.end()) Accumulate(*found->second, cpu, elapsed_ns, spans[cpu.cpu()]);
    }
  }
  return spans;
}

v1::Shares SharesOf(const CpuSpan& span) {
  v1::Shares shares;
  const double all = static_cast<double>(span.ticks());
  if (all <= 0) return shares;
  shares.set_user(span.user / all);
  shares.set_nice(span.nice / all);
  shares.set_system(span.system / all);
  shares.set_irq(span.irq / all);
  shares.set_softirq(span.softirq / all);
  return shares;
}

double Ratio(int64_t part, int64_t whole) {
  if (whole <= 0) return 0;
  return std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

v1::CpuResult OneCpu(uint32_t id, const CpuSpan& span) {
  v1::CpuResult cpu;
  cpu.set_cpu(id);
  cpu.set_busy_ratio(Ratio(span.busy(), span.online));
  cpu.set_iowait_ratio(Ratio(span.iowait, span.online));
  cpu.set_steal_ratio(Ratio(span.steal, span.online));
  *cpu.mutable_shares() = SharesOf(span);
  return cpu;
}

}  // namespace

v1::MachineResult CpuOver(const std::vector<const v1::CpuReading*>& readings) {
  v1::MachineResult machine;
  if (readings.size() < 2) return machine;
  const int64_t elapsed_ns = readings.back()->host_ns() - readings.front()->host_ns();
  const std::map<uint32_t, CpuSpan> spans = SpansOf(readings);
  if (elapsed_ns <= 0 || spans.empty()) return machine;

  CpuSpan all;
  int64_t busy_ns = 0;
  int64_t resolution_ns = 0;
  bool from_cpuidle = true;
  for (const auto& [id, span] : spans) {
    all.online += span.online;
    all.iowait += span.iowait;
    all.steal += span.steal;
    all.guest += span.guest;
    all.user += span.user;
    all.nice += span.nice;
    all.system += span.system;
    all.irq += span.irq;
    all.softirq += span.softirq;
    // Not clamped per CPU: the errors of resolution are of both signs and cancel in the sum.
    busy_ns += span.busy();
    resolution_ns += span.UsesCpuidle() ? 1'000 : kTickNs;
    from_cpuidle = from_cpuidle && span.UsesCpuidle();
    *machine.add_per_cpu() = OneCpu(id, span);
  }
  busy_ns = std::clamp<int64_t>(busy_ns, 0, all.online);
  const double elapsed = static_cast<double>(elapsed_ns);
  machine.set_elapsed_ns(elapsed_ns);
  machine.set_cpus(all.online / elapsed);
  machine.set_cores_busy(busy_ns / elapsed);
  machine.set_busy_ratio(Ratio(busy_ns, all.online));
  machine.set_iowait_cores(all.iowait / elapsed);
  machine.set_steal_cores(all.steal / elapsed);
  machine.set_guest_cores(all.guest / elapsed);
  *machine.mutable_shares() = SharesOf(all);
  machine.set_resolution_ns(resolution_ns);
  machine.set_from_cpuidle(from_cpuidle);
  return machine;
}

v1::MachineResult CpuBetween(const v1::CpuReading& begin, const v1::CpuReading& end) {
  return CpuOver({&begin, &end});
}

}  // namespace tutti::results
