// A disk for drains whose writes end when the test says so.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coordinator/fleet/drain_journal.h"

namespace tutti::fleet {

class FakeDrainJournal final : public DrainJournal {
 public:
  void Put(const std::string& worker, const tutti::v1::DrainMark& mark, Kept kept) override {
    calls.push_back("put " + worker + ": " + mark.reason());
    waiting.push_back(std::move(kept));
  }
  void Remove(const std::string& worker, Kept kept) override {
    calls.push_back("remove " + worker);
    waiting.push_back(std::move(kept));
  }
  void Write(const absl::Status& status = absl::OkStatus()) {
    for (const Kept& kept : std::exchange(waiting, {})) kept(status);
  }

  std::vector<std::string> calls;
  std::vector<Kept> waiting;
};

}  // namespace tutti::fleet
