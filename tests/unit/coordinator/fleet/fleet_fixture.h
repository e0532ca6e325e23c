// Workers that dial in at a fleet.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "common/sync/executor.h"
#include "common/version/version.h"
#include "coordinator/fleet/fleet.h"
#include "fake_link.h"
#include "tests/nanoseconds.h"

namespace tutti::fleet {

inline constexpr int64_t kLeaseNs = 2 * kSecond;

inline tutti::v1::Hello MakeHello(const std::string& name, uint64_t incarnation = 1,
                                  const std::string& boot_id = "boot-1") {
  tutti::v1::Hello hello;
  hello.set_protocol_version(kProtocolVersion);
  hello.set_name(name);
  hello.set_incarnation(incarnation);
  hello.mutable_facts()->set_boot_id(boot_id);
  return hello;
}

// On a connection of its own.
inline std::shared_ptr<FakeLink> DialIn(Fleet& fleet, const tutti::v1::Hello& hello,
                                        const std::string& peer = "ipv4:10.0.0.1:4000") {
  auto link = std::make_shared<FakeLink>(peer);
  fleet.HandleHello(link, hello);
  return link;
}

// A fleet that nobody has dialled in at.
class FleetFixture : public testing::Test {
 protected:
  FleetFixture() : executor_(1'000 * kSecond), fleet_(executor_, {.lease_ns = kLeaseNs, .probes = {}}) {}

  std::shared_ptr<FakeLink> Dial(const tutti::v1::Hello& hello,
                                 const std::string& peer = "ipv4:10.0.0.1:4000") {
    return DialIn(fleet_, hello, peer);
  }

  ManualExecutor executor_;
  Fleet fleet_;
};

}  // namespace tutti::fleet
