#include "coordinator/results/cpu.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/time/clock.h"

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

// CPUs x elapsed beyond which their columns could not be added up: 512 CPUs for 6 days.
constexpr int64_t kMostCpuNs = int64_t{1} << 58;
// What a column may grow by beside the time that passed: ticks, and what a kernel books late.
constexpr int64_t kSlackNs = 1'000'000'000;

// Adds what the columns of one CPU grew by. False: one grew by more than it can have.
bool Accumulate(const v1::CpuTimes& begin, const v1::CpuTimes& end, int64_t elapsed_ns, CpuSpan& span) {
  const uint64_t most = 2 * static_cast<uint64_t>(elapsed_ns) + static_cast<uint64_t>(kSlackNs);
  bool possible = true;
  const auto add = [&](uint64_t before, uint64_t after, int64_t& sum) {
    const uint64_t step = after > before ? after - before : 0;
    possible = possible && step <= most;
    if (possible) sum += static_cast<int64_t>(step);
  };
  span.online += elapsed_ns;
  add(begin.idle_ns(), end.idle_ns(), span.idle);
  add(begin.iowait_ns(), end.iowait_ns(), span.iowait);
  add(begin.steal_ns(), end.steal_ns(), span.steal);
  // Guest time is inside user and nice (proc(5)): shown apart, never added.
  add(begin.guest_ns(), end.guest_ns(), span.guest);
  add(begin.guest_nice_ns(), end.guest_nice_ns(), span.guest);
  add(begin.user_ns(), end.user_ns(), span.user);
  add(begin.nice_ns(), end.nice_ns(), span.nice);
  add(begin.system_ns(), end.system_ns(), span.system);
  add(begin.irq_ns(), end.irq_ns(), span.irq);
  add(begin.softirq_ns(), end.softirq_ns(), span.softirq);
  // A long idle is booked as a whole when it ends, so this one may grow by any span that began before; what
  // is beyond all use does not agree with the idle columns.
  const bool has_cpuidle = begin.has_cpuidle_ns() && end.has_cpuidle_ns();
  if (has_cpuidle && end.cpuidle_ns() < static_cast<uint64_t>(kMostCpuNs)) {
    const uint64_t step = end.cpuidle_ns() > begin.cpuidle_ns() ? end.cpuidle_ns() - begin.cpuidle_ns() : 0;
    span.cpuidle = std::min(kMostCpuNs, span.cpuidle + static_cast<int64_t>(step));
  } else {
    span.has_cpuidle = false;
  }
  return possible;
}

// By number. False: one is there twice.
bool ByNumber(const v1::CpuReading& reading, std::map<uint32_t, const v1::CpuTimes*>& cpus) {
  return std::all_of(reading.cpus().begin(), reading.cpus().end(),
                     [&](const v1::CpuTimes& cpu) { return cpus.emplace(cpu.cpu(), &cpu).second; });
}

// Empty, and `why` says it: the readings cannot be true.
std::map<uint32_t, CpuSpan> SpansOf(const std::vector<const v1::CpuReading*>& readings, std::string& why) {
  std::map<uint32_t, CpuSpan> spans;
  std::map<uint32_t, const v1::CpuTimes*> before;
  for (size_t k = 0; k < readings.size(); ++k) {
    std::map<uint32_t, const v1::CpuTimes*> now;
    if (!ByNumber(*readings[k], now)) {
      why = "a reading has one of its CPUs twice";
      return {};
    }
    const int64_t elapsed_ns = k == 0 ? 0 : readings[k]->host_ns() - readings[k - 1]->host_ns();
    if (elapsed_ns < 0) {
      why = "the clock of its readings went back";
      return {};
    }
    for (const auto& [id, cpu] : now) {
      const auto found = before.find(id);
      if (elapsed_ns == 0 || found == before.end()) continue;
      if (Accumulate(*found->second, *cpu, elapsed_ns, spans[id])) continue;
      why = absl::StrCat("a column of CPU ", id, " grew by far more than the time that passed");
      return {};
    }
    before = std::move(now);
  }
  if (spans.empty()) why = "no CPU is in two readings that follow each other";
  return spans;
}

// How far apart the first and the last one are; 0, and `why` says it: that is not a time to measure over.
int64_t ElapsedNs(const std::vector<const v1::CpuReading*>& readings, std::string& why) {
  const bool plausible = std::all_of(readings.begin(), readings.end(), [](const v1::CpuReading* each) {
    return IsPlausibleNs(each->host_ns());
  });
  const int64_t elapsed_ns =
      plausible && readings.size() >= 2 ? readings.back()->host_ns() - readings.front()->host_ns() : 0;
  if (elapsed_ns > 0 && elapsed_ns <= kMostCpuNs) return elapsed_ns;
  why = elapsed_ns > 0 ? "its readings are years apart" : "the clock of its readings did not go on";
  return 0;
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

v1::MachineResult CpuOver(const std::vector<const v1::CpuReading*>& readings, std::string* why) {
  v1::MachineResult machine;
  std::string ignored;
  std::string& reason = why == nullptr ? ignored : *why;
  const int64_t elapsed_ns = ElapsedNs(readings, reason);
  if (elapsed_ns == 0) return machine;
  const std::map<uint32_t, CpuSpan> spans = SpansOf(readings, reason);
  if (spans.empty()) return machine;
  if (elapsed_ns > kMostCpuNs / static_cast<int64_t>(spans.size())) {
    reason = "its CPUs' time together is more than can be added up";
    return machine;
  }

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

v1::MachineResult CpuBetween(const v1::CpuReading& begin, const v1::CpuReading& end, std::string* why) {
  return CpuOver({&begin, &end}, why);
}

bool IdleWentBack(const v1::CpuReading& begin, const v1::CpuReading& end) {
  const auto fell = [](uint64_t before, uint64_t after) {
    return before > after && before - after > static_cast<uint64_t>(kTickNs);
  };
  std::map<uint32_t, const v1::CpuTimes*> before;
  for (const v1::CpuTimes& cpu : begin.cpus()) before[cpu.cpu()] = &cpu;
  return std::any_of(end.cpus().begin(), end.cpus().end(), [&](const v1::CpuTimes& after) {
    const auto found = before.find(after.cpu());
    if (found == before.end()) return false;
    return fell(found->second->idle_ns(), after.idle_ns()) ||
           fell(found->second->steal_ns(), after.steal_ns());
  });
}

}  // namespace tutti::results
