#include "worker/observe/packet_steering.h"

#include <errno.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/facts/number_ranges.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/bitmap.h"
#include "worker/observe/file_reader.h"
#include "worker/observe/missing_facts.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;

// The queues of one direction, which lie in `folder` as "rx-0" or "tx-0".
struct Queues {
  std::string folder;
  std::string prefix;
  std::set<uint32_t> numbers;
};

absl::StatusOr<Queues> ListQueues(const std::string& folder, const std::string& prefix) {
  Queues queues{folder, prefix, {}};
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    uint32_t number = 0;
    if (name.rfind(prefix, 0) != 0 || !absl::SimpleAtoi(name.substr(prefix.size()), &number)) continue;
    queues.numbers.insert(number);
  }
  if (error) return ErrnoStatus(error.value(), absl::StrCat("list ", folder));
  if (queues.numbers.empty()) return absl::NotFoundError(absl::StrCat(folder, " has no ", prefix, "*"));
  return queues;
}

absl::Status SetTargets(const std::string& text, v1::QueueTargets* queue) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<uint32_t> numbers, ParseBitmap(text));
  queue->set_targets(numbers.empty() ? "none" : NumberRanges(numbers));
  return absl::OkStatus();
}

absl::Status SetFlows(const std::string& text, v1::QueueFlows* queue) {
  uint32_t flows = 0;
  if (!absl::SimpleAtoi(text, &flows)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not a number of flows"));
  }
  queue->set_flows(flows);
  return absl::OkStatus();
}

// One element of `list` for each queue, made by `set` of what its `file` says. Nothing is left in it after an
// error: a list with a gap would pass for a whole one.
template <typename List, typename Set>
absl::Status ReadEach(const Queues& queues, const char* file, List* list, const Set& set) {
  for (const uint32_t queue : queues.numbers) {
    const std::string path = absl::StrCat(queues.folder, "/", queues.prefix, queue, "/", file);
    const auto text = ReadValue(path);
    auto* added = list->Add();
    added->set_queue(queue);
    absl::Status read = text.ok() ? Annotate(set(*text, added), path) : text.status();
    if (read.ok()) continue;
    list->Clear();
    return read;
  }
  return absl::OkStatus();
}

// The kernel refuses to show the XPS of a device with one queue (xps_cpus_show in net/core/net-sysfs.c).
absl::Status ReasonOfSending(const Queues& queues, const absl::Status& read) {
  if (queues.numbers.size() > 1 || ErrnoOf(read) != ENOENT) return read;
  return absl::NotFoundError("it has one transmit queue: there is none to choose");
}

}  // namespace

absl::Status CheckSysfsNamespace(const KernelRoots& roots, const std::vector<Link>& links) {
  for (const Link& link : links) {
    if (link.hardware_address.find_first_not_of("0:") == std::string::npos) continue;
    const auto index = ReadValue(absl::StrCat(roots.sys, "/class/net/", link.name, "/ifindex"));
    const auto address = ReadValue(absl::StrCat(roots.sys, "/class/net/", link.name, "/address"));
    if (!index.ok() || !address.ok()) continue;
    if (*index == absl::StrCat(link.index) && *address == link.hardware_address) return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat("nothing says that ", roots.sys, "/class/net shows the worker's network namespace: ",
                   "no device has there the index and the hardware address that it has here"));
}

void FillSteering(const KernelRoots& roots, v1::HostDevice* device, v1::HostFacts* facts) {
  const std::string fact = absl::StrCat("devices[", device->name(), "].steering");
  const std::string folder = absl::StrCat(roots.sys, "/class/net/", device->name(), "/queues");
  const auto rx = ListQueues(folder, "rx-");
  if (!rx.ok()) return AddMissing(fact, rx.status(), facts);
  const auto tx = ListQueues(folder, "tx-");
  if (!tx.ok()) return AddMissing(fact, tx.status(), facts);
  const auto missing = [&](const char* field, const absl::Status& why) {
    AddMissing(absl::StrCat(fact, ".", field), why, facts);
  };
  v1::DeviceSteering* steering = device->mutable_steering();
  missing("rps_cpus", ReadEach(*rx, "rps_cpus", steering->mutable_rps_cpus(), SetTargets));
  missing("rps_flows", ReadEach(*rx, "rps_flow_cnt", steering->mutable_rps_flows(), SetFlows));
  missing("xps_cpus",
          ReasonOfSending(*tx, ReadEach(*tx, "xps_cpus", steering->mutable_xps_cpus(), SetTargets)));
  missing("xps_rx_queues",
          ReasonOfSending(*tx, ReadEach(*tx, "xps_rxqs", steering->mutable_xps_rx_queues(), SetTargets)));
}

}  // namespace tutti::observe
