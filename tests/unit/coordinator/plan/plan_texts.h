// Plans and workers that several tests start from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/placement.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::plan {

// The smallest plan, with further lines behind its one traffic entry (indented by 4) and behind the plan.
inline std::string MinimalPlan(const std::string& entry_lines = "", const std::string& plan_lines = "",
                               const std::string& protocol = "udp") {
  return "version: 1\n"
         "name: minimal\n"
         "roles:\n"
         "  a: {count: 1}\n"
         "  b: {count: 1}\n"
         "traffic:\n"
         "  - name: bulk\n"
         "    from: a\n"
         "    to: b\n"
         "    protocol: " +
         protocol + "\n" + entry_lines + plan_lines;
}

// A plan that has to be valid.
inline tutti::v1::Plan Load(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto plan = LoadValidPlan(text, "p.yaml", overrides);
  EXPECT_TRUE(plan.ok()) << std::string(plan.status().message());
  return plan.ok() ? *plan : tutti::v1::Plan();
}

// Every error of a plan, formatted, one a line.
inline std::string Errors(std::string_view text, const std::vector<std::string>& overrides = {}) {
  std::string all;
  for (const PlanError& error : LoadPlan(text, "p.yaml", overrides).errors)
    all += Format("p.yaml", error) + "\n";
  return all;
}

// A worker with one address on eth0 in 10.0.0.0/24, which reaches the coordinator.
inline Candidate Worker(const std::string& name, int last_byte,
                        std::map<std::string, std::string> labels = {}) {
  Candidate worker;
  worker.name = name;
  worker.labels = std::move(labels);
  worker.control_address = "10.0.0." + std::to_string(last_byte);
  worker.facts.set_boot_id("boot-" + name);
  tutti::v1::HostAddress* address = worker.facts.add_addresses();
  address->set_address(worker.control_address);
  address->set_prefix_length(24);
  address->set_device("eth0");
  return worker;
}

}  // namespace tutti::plan
