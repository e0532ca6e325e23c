#include "coordinator/run/background_meter.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/log/log.h"
#include "common/units/units.h"
#include "coordinator/results/cpu.h"

namespace tutti::run {
namespace {

// nullopt, and `why` says it: the readings are not of the second that was asked for.
std::optional<double> BusyCores(const tutti::v1::BackgroundReading& reading, std::string& why) {
  const tutti::v1::MachineResult cpu = results::CpuBetween(reading.begin(), reading.end(), &why);
  if (cpu.elapsed_ns() == 0) return std::nullopt;
  // A busy machine may be late with the second one, but its answer has to be here in time.
  if (cpu.elapsed_ns() < BackgroundMeter::kDurationNs / 2 ||
      cpu.elapsed_ns() > BackgroundMeter::kDurationNs + 2 * BackgroundMeter::kAnswerNs) {
    why = "its readings are " + FormatDuration(cpu.elapsed_ns()) + " apart";
    return std::nullopt;
  }
  if (results::IdleWentBack(reading.begin(), reading.end())) {
    why = "the idle time of one of its CPUs went back";
    return std::nullopt;
  }
  return cpu.cores_busy();
}

}  // namespace

BackgroundMeter::BackgroundMeter(Executor& executor, fleet::Fleet& fleet,
                                 const std::map<std::string, std::string>& readers, uint64_t request_id,
                                 std::function<void(std::map<std::string, double>)> done)
    : executor_(executor), fleet_(fleet), request_id_(request_id), done_(std::move(done)) {
  for (const auto& [machine, host] : readers) machine_of_[host] = machine;
}

BackgroundMeter::~BackgroundMeter() { executor_.Cancel(timer_); }

void BackgroundMeter::Start() {
  for (auto each = machine_of_.begin(); each != machine_of_.end();) {
    tutti::v1::CoordinatorMessage message;
    message.mutable_measure_background()->set_request_id(request_id_);
    message.mutable_measure_background()->set_duration_ns(kDurationNs);
    each = fleet_.Send(each->first, std::move(message)) ? std::next(each) : machine_of_.erase(each);
  }
  timer_ = executor_.PostAfter(machine_of_.empty() ? 0 : kDurationNs + kAnswerNs, [this] { Finish(); });
}

void BackgroundMeter::OnReading(const std::string& host, const tutti::v1::BackgroundReading& reading) {
  const auto found = machine_of_.find(host);
  if (found == machine_of_.end() || reading.request_id() != request_id_) return;
  std::string why;
  if (const std::optional<double> cores = BusyCores(reading, why)) {
    busy_cores_[found->second] = *cores;
  } else {
    spdlog::warn("host {}: how busy it was before the case is not known: {}", host, why);
  }
  Settle(host);
}

void BackgroundMeter::OnLost(const std::string& host) { Settle(host); }

void BackgroundMeter::Settle(const std::string& host) {
  if (machine_of_.erase(host) == 0 || !machine_of_.empty()) return;
  executor_.Cancel(timer_);
  timer_ = executor_.PostAfter(0, [this] { Finish(); });
}

void BackgroundMeter::Finish() {
  // Last: the callback may destroy this object.
  const auto done = std::move(done_);
  done(std::move(busy_cores_));
}

}  // namespace tutti::run
