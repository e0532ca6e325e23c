// UDP counters of a network namespace: /proc/net/snmp ("Udp:") and /proc/net/snmp6 ("Udp6..."), summed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {

// `snmp6` is empty where the kernel has no IPv6. A text without the needed counters is InvalidArgument.
absl::StatusOr<v1::UdpCounters> ParseUdpCounters(std::string_view snmp, std::string_view snmp6);

// Of the namespace that the opening thread is in: it opens /proc/thread-self/net and keeps the files, which
// stay with that namespace whoever reads them. Thread-safe.
class UdpCounterReader {
 public:
  static absl::StatusOr<std::unique_ptr<UdpCounterReader>> Open(const std::string& proc_root = "/proc");
  absl::StatusOr<v1::UdpCounters> Read() const;

 private:
  UdpCounterReader(FileReader snmp, std::optional<FileReader> snmp6)
      : snmp_(std::move(snmp)), snmp6_(std::move(snmp6)) {}
  const FileReader snmp_;
  const std::optional<FileReader> snmp6_;
};

}  // namespace tutti::observe
