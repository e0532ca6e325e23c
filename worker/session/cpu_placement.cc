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

absl::StatusOr<uint32_t> FromNear(const v1::StreamEnd& stream, const v1::HostFacts& facts, const Cpus& near,
                                  const std::string& where) {
  std::vector<uint32_t> usable;
  for (const uint32_t cpu : near) {
    const bool online = facts.online_cpus().empty() || Contains(facts.online_cpus(), cpu);
    if (online && Contains(facts.allowed_cpus(), cpu)) usable.push_back(cpu);
  }
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

absl::StatusOr<uint32_t> FromDevice(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  const std::string name =
      stream.device().empty() ? DeviceOfAddress(facts, stream.local_address()) : stream.device();
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

absl::StatusOr<uint32_t> Choose(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  switch (stream.cpus().kind()) {
    case v1::CpuChoice::KIND_LIST:
      return FromList(stream, facts);
    case v1::CpuChoice::KIND_NUMA:
      return FromNode(stream, facts);
    case v1::CpuChoice::KIND_NIC_LOCAL:
      return FromDevice(stream, facts);
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

absl::StatusOr<CpuPlacement> PlaceOnCpu(const v1::StreamEnd& stream, const v1::HostFacts& facts) {
  CpuPlacement placement;
  if (stream.cpus().kind() == v1::CpuChoice::KIND_ANY) return placement;
  const absl::StatusOr<uint32_t> cpu = Choose(stream, facts);
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
