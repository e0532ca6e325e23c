// tutti doctor --clocks: how well every worker's clock is known, before anything is run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "common/units/units.h"
#include "coordinator/cli/clock_table.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/command_options.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/terminal.h"

namespace tutti::cli {
namespace {

constexpr std::chrono::milliseconds kStep(500);
constexpr int64_t kLongestNs = 365LL * 86'400 * 1'000'000'000;
constexpr std::chrono::milliseconds kNap(50);
constexpr char kClearScreen[] = "\033[H\033[J";

struct DoctorOptions {
  CoordinatorAddress coordinator;
  bool clocks = false;
  std::string limit;     // a duration
  std::string duration;  // likewise
  Output output = Output::kTable;
};

// Shows the table, with `redraw` again and again, until `until` has passed or the user interrupts; at least
// once.
int WatchClocks(CoordinatorClient& client, std::optional<int64_t> limit_ns,
                std::optional<std::chrono::steady_clock::time_point> until, Output output, bool redraw) {
  std::atomic<bool> interrupted = false;
  const InterruptWatch watch([&interrupted] { interrupted = true; });
  tutti::v1::ListWorkersRequest request;
  request.set_without_facts(true);
  while (true) {
    const absl::StatusOr<tutti::v1::ListWorkersResponse> workers = client.ListWorkers(request);
    if (!workers.ok()) return Complain(workers.status(), ExitCodeOfCall(workers.status()));
    const bool last = interrupted || (until && std::chrono::steady_clock::now() >= *until);
    if (redraw) std::cout << kClearScreen;
    if (redraw || last) {
      std::cout << (output == Output::kTable ? RenderClocks(*workers, limit_ns)
                                             : RenderDocument(report::MessageDocument(*workers), output))
                << std::flush;
    }
    if (last) return ClocksAreKnown(*workers, limit_ns) ? kPassed : kLimitFailed;
    const auto next = std::chrono::steady_clock::now() + kStep;
    while (!interrupted && std::chrono::steady_clock::now() < next) std::this_thread::sleep_for(kNap);
  }
}

int Examine(const DoctorOptions& options) {
  if (!options.clocks) {
    return Complain(absl::InvalidArgumentError("doctor: say what to examine: --clocks"), kUsage);
  }
  std::optional<int64_t> limit_ns;
  if (!options.limit.empty()) {
    const absl::StatusOr<int64_t> parsed = ParseDurationNs(options.limit);
    if (!parsed.ok()) return Complain(parsed.status(), kUsage);
    limit_ns = *parsed;
  }
  const bool redraw = options.output == Output::kTable && OutputTakesEscapes();
  std::optional<std::chrono::steady_clock::time_point> until;
  if (!options.duration.empty()) {
    const absl::StatusOr<int64_t> parsed = ParseDurationNs(options.duration);
    if (!parsed.ok()) return Complain(parsed.status(), kUsage);
    until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(*parsed, kLongestNs));
  } else if (!redraw) {
    until = std::chrono::steady_clock::now();
  }
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client =
      MakeCoordinatorClient(options.coordinator);
  if (!client.ok()) {
    return Complain(client.status(),
                    absl::IsInvalidArgument(client.status()) ? kUsage : ExitCodeOfCall(client.status()));
  }
  return WatchClocks(**client, limit_ns, until, options.output, redraw);
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Examine the hosts before anything is run");
  command->add_flag("--clocks", options->clocks,
                    "Every worker's clock: offset, drift, bound, round trip, how it is measured");
  command->add_option("--limit", options->limit, "Exit with 4 if a clock is not known to within this: 10us");
  command->add_option(
      "--for", options->duration,
      "Watch for so long: 10s. Left out: until Ctrl-C on a terminal that can redraw, else one look");
  AddOutputOption(*command, options->output);
  AddCoordinatorOptions(*command, options->coordinator);
  command->callback([options, &chosen] { chosen = [options] { return Examine(*options); }; });
}

}  // namespace tutti::cli
