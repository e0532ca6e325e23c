#include "worker/load/udp_run.h"

#include <array>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

// The datagrams of one call.
class LaidOut {
 public:
  void Add(const UdpHeader& header, size_t size = 100) {
    EncodeUdpHeader(header, datagrams_.emplace_back().data());
    sizes_.push_back(size);
  }
  Datagram datagram(uint32_t i) const { return {datagrams_[i].data(), sizes_[i]}; }
  uint32_t count() const { return static_cast<uint32_t>(sizes_.size()); }

 private:
  std::vector<std::array<unsigned char, UdpHeader::kBytes>> datagrams_;
  std::vector<size_t> sizes_;
};

std::vector<uint32_t> RunLengths(const LaidOut& call) {
  std::vector<uint32_t> lengths;
  for (uint32_t i = 0; i < call.count(); i += lengths.back()) {
    lengths.push_back(UdpRunFrom(call, i, call.count()).datagrams);
  }
  return lengths;
}

TEST(UdpRun, EndsWhereNonceSendTimeNumberOrSizeIsAnother) {
  LaidOut call;
  call.Add({.nonce = 1, .sequence = 10, .send_trial_ns = 5});
  call.Add({.nonce = 1, .sequence = 11, .send_trial_ns = 5});
  call.Add({.nonce = 1, .sequence = 12, .send_trial_ns = 5});
  call.Add({.nonce = 1, .sequence = 13, .send_trial_ns = 6});  // the next call of the sender
  call.Add({.nonce = 1, .sequence = 15, .send_trial_ns = 6});  // 14 was lost
  call.Add({.nonce = 1, .sequence = 15, .send_trial_ns = 6});  // doubled
  call.Add({.nonce = 2, .sequence = 16, .send_trial_ns = 6});  // another's
  call.Add({.nonce = 2, .sequence = 17, .send_trial_ns = 6}, 60);
  EXPECT_EQ(RunLengths(call), (std::vector<uint32_t>{3, 1, 1, 1, 1, 1}));
}

TEST(UdpRun, TellsItsFirstHeaderAndTheSizeOfEach) {
  LaidOut call;
  call.Add({.nonce = 9, .sequence = 1, .send_trial_ns = -5}, 24);
  call.Add({.nonce = 7, .sequence = 40, .send_trial_ns = -3}, 1472);
  call.Add({.nonce = 7, .sequence = 41, .send_trial_ns = -3}, 1472);
  const UdpRun run = UdpRunFrom(call, 1, call.count());
  EXPECT_EQ(run.first.nonce, 7u);
  EXPECT_EQ(run.first.sequence, 40u);
  EXPECT_EQ(run.first.send_trial_ns, -3);
  EXPECT_EQ(run.datagrams, 2u);
  EXPECT_EQ(run.datagram_bytes, 1472u);
}

}  // namespace
}  // namespace tutti::load
