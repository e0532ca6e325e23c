#include "coordinator/telemetry/process_families.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace tutti::telemetry {
namespace {

struct Memory {
  double virtual_bytes = 0;
  double resident_bytes = 0;
};

// Its first two figures, in pages (proc(5)).
std::optional<Memory> ReadMemory() {
  std::ifstream file("/proc/self/statm");
  double virtual_pages = 0;
  double resident_pages = 0;
  if (!(file >> virtual_pages >> resident_pages)) return std::nullopt;
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  return Memory{virtual_pages * page_bytes, resident_pages * page_bytes};
}

std::optional<double> CountOpenFiles() {
  std::error_code error;
  double count = 0;
  const std::filesystem::directory_iterator end{};
  for (std::filesystem::directory_iterator each("/proc/self/fd", error); !error && each != end;
       each.increment(error)) {
    ++count;
  }
  if (error) return std::nullopt;
  return count - 1;  // the one that the count itself took
}

double CpuSeconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

void AddFamily(prometheus::MetricFamily family, std::optional<double> value, Families& families) {
  if (value.has_value()) AddSample(family, *value);
  families.push_back(std::move(family));
}

}  // namespace

Families ProcessFamilies(int64_t started_unix_ns) {
  Families families;
  const std::optional<Memory> memory = ReadMemory();
  std::optional<double> resident, size;
  if (memory.has_value()) {
    resident = memory->resident_bytes;
    size = memory->virtual_bytes;
  }
  std::optional<double> most_files;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    most_files = static_cast<double>(limit.rlim_cur);
  }
  AddFamily(CounterFamily("process_cpu_seconds_total", "Total user and system CPU time spent in seconds."),
            CpuSeconds(), families);
  AddFamily(GaugeFamily("process_resident_memory_bytes", "Resident memory size in bytes."), resident,
            families);
  AddFamily(GaugeFamily("process_virtual_memory_bytes", "Virtual memory size in bytes."), size, families);
  AddFamily(GaugeFamily("process_open_fds", "Number of open file descriptors."), CountOpenFiles(), families);
  AddFamily(GaugeFamily("process_max_fds", "Maximum number of open file descriptors."), most_files, families);
  AddFamily(
      GaugeFamily("process_start_time_seconds", "Start time of the process since unix epoch in seconds."),
      static_cast<double>(started_unix_ns) / 1e9, families);
  return families;
}

Families StateFolderFamilies(const std::string& folder) {
  std::optional<double> bytes;
  if (!folder.empty()) {
    std::error_code error;
    double sum = 0;
    const std::filesystem::directory_iterator end{};
    for (std::filesystem::directory_iterator each(folder, error); !error && each != end;
         each.increment(error)) {
      // A file may go while it is looked at, as the store's write-ahead log does.
      std::error_code gone;
      const std::uintmax_t file_bytes = each->is_regular_file(gone) ? each->file_size(gone) : 0;
      if (!gone) sum += static_cast<double>(file_bytes);
    }
    if (!error) bytes = sum;
  }
  Families families;
  AddFamily(GaugeFamily("tutti_state_dir_bytes",
                        "Size of the files in the folder in which runs are kept (--state-dir); absent where "
                        "they are kept in memory only."),
            bytes, families);
  return families;
}

}  // namespace tutti::telemetry
