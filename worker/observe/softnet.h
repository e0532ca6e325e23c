// What a machine's receive path did: /proc/net/softnet_stat and /proc/softirqs, summed over all CPUs. Both
// count for the whole machine, whatever network namespace reads them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {

// softnet_stat has a line per online CPU of hexadecimal columns: processed, dropped, time_squeeze, ...
// (softnet_seq_show in net/core/net-procfs.c), each 32 bits wide. softirqs has a line per kind with a column
// per CPU. A text without what is needed is InvalidArgument.
absl::StatusOr<v1::SoftnetCounters> ParseSoftnet(std::string_view softnet_stat, std::string_view softirqs);

// Keeps both files open. Thread-safe.
class SoftnetReader {
 public:
  static absl::StatusOr<std::unique_ptr<SoftnetReader>> Open(const std::string& proc_root = "/proc");
  absl::StatusOr<v1::SoftnetCounters> Read() const;

 private:
  SoftnetReader(FileReader softnet_stat, FileReader softirqs)
      : softnet_stat_(std::move(softnet_stat)), softirqs_(std::move(softirqs)) {}
  const FileReader softnet_stat_;
  const FileReader softirqs_;
};

}  // namespace tutti::observe
