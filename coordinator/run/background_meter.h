// The idle second before a case: how busy each machine is without the load.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

// One measurement. Lives on the executor's thread; destroying it ends it without calling anybody.
class BackgroundMeter {
 public:
  static constexpr int64_t kDurationNs = 1'000'000'000;
  static constexpr int64_t kAnswerNs = 1'000'000'000;  // after that, at the most

  // `readers`: machine -> the host that reads it. `done` gets the busy cores of the machines that answered
  // in time with readings that can be true; it is called once, never from within Start.
  BackgroundMeter(Executor& executor, fleet::Fleet& fleet, const std::map<std::string, std::string>& readers,
                  uint64_t request_id, std::function<void(std::map<std::string, double>)> done);
  ~BackgroundMeter();
  BackgroundMeter(const BackgroundMeter&) = delete;
  BackgroundMeter& operator=(const BackgroundMeter&) = delete;

  void Start();
  void OnReading(const std::string& host, const tutti::v1::BackgroundReading& reading);
  void OnLost(const std::string& host);

 private:
  void Settle(const std::string& host);
  void Finish();

  Executor& executor_;
  fleet::Fleet& fleet_;
  std::map<std::string, std::string> machine_of_;  // of the hosts that have yet to answer
  const uint64_t request_id_;
  std::function<void(std::map<std::string, double>)> done_;
  std::map<std::string, double> busy_cores_;
  TimerId timer_ = 0;
};

}  // namespace tutti::run
