#include "worker/load/cpu_pinning.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::load {
namespace {

// CPU ids may be sparse and their number unlimited: a fixed cpu_set_t ends at 1024.
class CpuSet {
 public:
  explicit CpuSet(size_t cpus) : cpus_(cpus), set_(CPU_ALLOC(cpus)) { CPU_ZERO_S(bytes(), set_); }
  ~CpuSet() { CPU_FREE(set_); }
  CpuSet(const CpuSet&) = delete;
  CpuSet& operator=(const CpuSet&) = delete;

  size_t cpus() const { return cpus_; }
  size_t bytes() const { return CPU_ALLOC_SIZE(cpus_); }
  cpu_set_t* get() const { return set_; }
  bool Has(size_t cpu) const { return cpu < cpus_ && CPU_ISSET_S(cpu, bytes(), set_); }
  size_t Count() const { return static_cast<size_t>(CPU_COUNT_S(bytes(), set_)); }

 private:
  size_t cpus_;
  cpu_set_t* set_;
};

// EINVAL means that the kernel's masks are longer than ours.
std::unique_ptr<CpuSet> SetOf(pthread_t thread) {
  for (size_t cpus = 1024; cpus <= (1U << 20); cpus *= 2) {
    auto set = std::make_unique<CpuSet>(cpus);
    const int code = pthread_getaffinity_np(thread, set->bytes(), set->get());
    if (code == 0) return set;
    if (code != EINVAL) break;
  }
  return std::make_unique<CpuSet>(1024);
}

std::unique_ptr<CpuSet> AllowedSet() { return SetOf(pthread_self()); }

std::string ListOf(const CpuSet& set) {
  std::string list;
  for (size_t cpu = 0; cpu < set.cpus(); ++cpu) {
    if (!set.Has(cpu)) continue;
    size_t last = cpu;
    while (set.Has(last + 1)) ++last;
    absl::StrAppend(&list, list.empty() ? "" : ",", cpu, last == cpu ? "" : absl::StrCat("-", last));
    cpu = last;
  }
  return list;
}

constexpr uint32_t kMostCpus = 1 << 20;

}  // namespace

absl::Status PinThisThread(uint32_t cpu) { return PinThread(pthread_self(), cpu); }

absl::Status PinThread(pthread_t thread, uint32_t cpu) {
  const std::string what = absl::StrCat("pin a thread to CPU ", cpu);
  const std::string advice = absl::StrCat("the CPUs that this process may use are ", AllowedCpuList());
  if (cpu >= kMostCpus) return ErrnoStatus(EINVAL, what, advice);
  CpuSet wanted(cpu < 1024 ? 1024 : cpu + 1);
  CPU_SET_S(cpu, wanted.bytes(), wanted.get());
  if (const int code = pthread_setaffinity_np(thread, wanted.bytes(), wanted.get()); code != 0) {
    return ErrnoStatus(code, what, advice);
  }
  const auto got = SetOf(thread);
  if (got->Count() != 1 || !got->Has(cpu)) {
    return absl::FailedPreconditionError(absl::StrCat(what, ": the kernel uses ", ListOf(*got), " instead"));
  }
  return absl::OkStatus();
}

size_t AllowedCpuCount() {
  const size_t count = AllowedSet()->Count();
  return count == 0 ? 1 : count;
}

std::vector<uint32_t> AllowedCpus() {
  const auto set = AllowedSet();
  std::vector<uint32_t> cpus;
  for (size_t cpu = 0; cpu < set->cpus(); ++cpu) {
    if (set->Has(cpu)) cpus.push_back(static_cast<uint32_t>(cpu));
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

std::string AllowedCpuList() { return ListOf(*AllowedSet()); }

}  // namespace tutti::load
