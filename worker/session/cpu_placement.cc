#include "worker/session/cpu_placement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tutti::session {
namespace {

using Cpus = google::protobuf::RepeatedField<uint32_t>;

bool Contains(const Cpus& cpus, uint32_t cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

std::string AskedText(const v1::CpuChoice& choice) {
  switch (choice.kind()) {
    case v1::CpuChoice::KIND_LIST:
      return absl::StrCat("[", absl::StrJoin(choice.cpus(), ", "), "]");
    case v1::CpuChoice::KIND_NUMA:
      return absl::StrCat("numa:", choice.numa_node());
    case v1::CpuChoice::KIND_NIC_LOCAL:
      return "nic_local";
    case v1::CpuChoice::KIND_AVOID_IRQ:
      return "avoid_irq";
    default:
      return "any";
  }
}

std::string AllowedText(const v1::HostFacts& facts) {
  return absl::StrCat("CPUs allowed to the worker: ", absl::StrJoin(facts.allowed_cpus(), ", "));
}

absl::StatusOr<uint32_t> FromList(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  const Cpus& cpus = stream.cpus().cpus();
  if (cpus.empty()) return absl::FailedPreconditionError("the list of CPUs is empty");
  const uint32_t cpu = cpus.Get(static_cast<int>(stream.cpu_ordinal() % static_cast<uint32_t>(cpus.size())));
  if (!facts.online_cpus().empty() && !Contains(facts.online_cpus(), cpu)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "CPU ", cpu, " does not exist or is offline; online: ", absl::StrJoin(facts.online_cpus(), ", ")));
  }
  if (!Contains(facts.allowed_cpus(), cpu)) {
    return absl::FailedPreconditionError(
        absl::StrCat("CPU ", cpu, " is not allowed; ", AllowedText(facts),
                     " (see taskset -p, or CPUAffinity= and AllowedCPUs= of its unit)"));
  }
  return cpu;
}

// Those of `cpus` that are online and that the worker may use.
std::vector<uint32_t> Usable(const v1::HostFacts& facts, const Cpus& cpus) {
  std::vector<uint32_t> usable;
  for (const uint32_t cpu : cpus) {
    const bool online = facts.online_cpus().empty() || Contains(facts.online_cpus(), cpu);
    if (online && Contains(facts.allowed_cpus(), cpu)) usable.push_back(cpu);
  }
  return usable;
}

absl::StatusOr<uint32_t> FromNear(const v1::StreamEnd& stream, const v1::HostFacts& facts, const Cpus& near,
                                  const std::string& where) {
  const std::vector<uint32_t> usable = Usable(facts, near);
  if (usable.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("none of the CPUs of ", where, " (",
                                                      absl::StrJoin(near, ", "), ") may be used; ",
                                                      AllowedText(facts)));
  }
  return usable[stream.cpu_ordinal() % usable.size()];
}

absl::StatusOr<uint32_t> FromNode(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  std::vector<uint32_t> known;
  for (const v1::NumaNode& node : facts.numa_nodes()) {
    if (node.id() == stream.cpus().numa_node()) {
      return FromNear(stream, facts, node.cpus(), absl::StrCat("NUMA node ", node.id()));
    }
    known.push_back(node.id());
  }
  return absl::FailedPreconditionError(absl::StrCat("NUMA node ", stream.cpus().numa_node(),
                                                    " does not exist; nodes: ", absl::StrJoin(known, ", ")));
}

std::string DeviceOf(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  return stream.device().empty() ? DeviceOfAddress(facts, stream.local_address()) : stream.device();
}

absl::StatusOr<uint32_t> FromDevice(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  const std::string name = DeviceOf(stream, facts);
  for (const v1::HostDevice& device : facts.devices()) {
    if (device.name() != name) continue;
    if (device.local_cpus().empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "which CPUs are near ", name, " is not known (driver \"", device.driver(),
          device.has_hardware() ? "\")" : "\", no hardware behind it)", "; name the CPUs instead"));
    }
    return FromNear(stream, facts, device.local_cpus(), name);
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no device holds the address ", stream.local_address(), ", so none is near"));
}

absl::StatusOr<uint32_t> BesideInterrupts(const v1::StreamEnd& stream, const v1::HostFacts& facts,
                                          InterruptCpus interrupt_cpus) {
  const std::string name = DeviceOf(stream, facts);
  if (name.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("no device holds the address ", stream.local_address(),
                                                      ", so there are no interrupts to avoid"));
  }
  const auto serving = interrupt_cpus(name);
  if (!serving.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": ", std::string(serving.status().message()), "; name the CPUs instead"));
  }
  const auto serves = [&](uint32_t cpu) {
    return std::find(serving->begin(), serving->end(), cpu) != serving->end();
  };
  std::vector<uint32_t> free = Usable(facts, facts.allowed_cpus());
  free.erase(std::remove_if(free.begin(), free.end(), serves), free.end());
  if (free.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "each of them serves an interrupt of ", name, " (", absl::StrJoin(*serving, ", "), "); ",
        AllowedText(facts), " (see /proc/irq/*/effective_affinity_list; ethtool -L makes fewer queues)"));
  }
  for (const v1::HostDevice& device : facts.devices()) {
    if (device.name() != name) continue;
    std::vector<uint32_t> near = free;
    const auto far = [&](uint32_t cpu) { return !Contains(device.local_cpus(), cpu); };
    near.erase(std::remove_if(near.begin(), near.end(), far), near.end());
    if (!near.empty()) free = std::move(near);
  }
  return free[stream.cpu_ordinal() % free.size()];
}

absl::StatusOr<uint32_t> Choose(const v1::StreamEnd& stream, const v1::HostFacts& facts,
                                InterruptCpus interrupt_cpus) {
  switch (stream.cpus().kind()) {
    case v1::CpuChoice::KIND_LIST:
      return FromList(stream, facts);
    case v1::CpuChoice::KIND_NUMA:
      return FromNode(stream, facts);
    case v1::CpuChoice::KIND_NIC_LOCAL:
      return FromDevice(stream, facts);
    case v1::CpuChoice::KIND_AVOID_IRQ:
      return BesideInterrupts(stream, facts, interrupt_cpus);
    default:
      return absl::InvalidArgumentError(absl::StrCat("unknown choice of CPUs ", stream.cpus().kind()));
  }
}

}  // namespace

std::string DeviceOfAddress(const v1::HostFacts& facts, const std::string& address) {
  const size_t percent = address.find('%');
  if (percent != std::string::npos) return address.substr(percent + 1);
  for (const v1::HostAddress& each : facts.addresses()) {
    if (each.address() == address) return each.device();
  }
  // All of 127.0.0.0/8 is there, though only one address of it is listed.
  return address.rfind("127.", 0) == 0 ? "lo" : "";
}

absl::StatusOr<CpuPlacement> PlaceOnCpu(const v1::StreamEnd& stream, const v1::HostFacts& facts,
                                        InterruptCpus interrupt_cpus) {
  CpuPlacement placement;
  const v1::CpuChoice::Kind kind = stream.cpus().kind();
  if (kind == v1::CpuChoice::KIND_ANY || kind == v1::CpuChoice::KIND_WITH_RX) return placement;
  const absl::StatusOr<uint32_t> cpu = Choose(stream, facts, interrupt_cpus);
  if (cpu.ok()) {
    placement.cpu = *cpu;
    return placement;
  }
  const std::string asked = AskedText(stream.cpus());
  if (!stream.best_effort()) {
    return absl::Status(cpu.status().code(), absl::StrCat("stream ", stream.stream_id(), ": cpus ", asked,
                                                          ": ", cpu.status().message()));
  }
  v1::OptionOutcome outcome;
  outcome.set_name("cpu");
  outcome.set_asked(asked);
  outcome.set_got("any");
  outcome.set_note(std::string(cpu.status().message()));
  placement.missed = std::move(outcome);
  return placement;
}

}  // namespace tutti::session
