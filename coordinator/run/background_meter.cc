#include "coordinator/run/background_meter.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/results/cpu.h"

namespace tutti::run {

BackgroundMeter::BackgroundMeter(Executor& executor, fleet::Fleet& fleet,
                                 std::map<std::string, std::string> readers, uint64_t request_id,
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
  if (reading.end().host_ns() > reading.begin().host_ns() && reading.begin().cpus_size() > 0) {
    busy_cores_[found->second] = results::CpuBetween(reading.begin(), reading.end()).cores_busy();
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
