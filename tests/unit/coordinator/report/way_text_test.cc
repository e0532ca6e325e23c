#include "coordinator/report/way_text.h"

#include "gtest/gtest.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

v1::StreamReport Report(v1::SendWay send, v1::ReceiveWay receive, uint32_t batch, uint64_t messages,
                        uint64_t calls) {
  v1::StreamReport report;
  report.mutable_ways()->set_send(send);
  report.mutable_ways()->set_receive(receive);
  report.mutable_ways()->set_batch(batch);
  report.set_total_messages(messages);
  report.set_total_bytes(messages * 1000);
  report.set_calls(calls);
  report.set_read_size_bytes(65536);
  return report;
}

TEST(WayText, TellsABatchAndWhatACallMovedOnAverage) {
  v1::StreamReport report = Report(v1::SEND_WAY_SENDMMSG, v1::RECEIVE_WAY_RECVMMSG, 32, 254, 8);
  EXPECT_EQ(SendWayText(report), "sendmmsg, up to 32 messages per call, 31.8 on average");
  report.set_read_size_bytes(1472);
  EXPECT_EQ(ReceiveWayText(report), "recvmmsg, up to 32 x 1472B per call, 31.8 messages on average");
  report.set_calls(0);
  EXPECT_EQ(SendWayText(report), "sendmmsg, up to 32 messages per call");
}

TEST(WayText, TellsPlainCallsAndWhatIsDiscarded) {
  v1::StreamReport report = Report(v1::SEND_WAY_WRITE, v1::RECEIVE_WAY_READ, 1, 8, 8);
  EXPECT_EQ(SendWayText(report), "write, 1.00 messages per call");
  report.mutable_ways()->set_discard(true);
  EXPECT_EQ(ReceiveWayText(report),
            "read, up to 64KiB per call, 1.00 messages on average, the payload discarded");
  report.mutable_tcp();
  EXPECT_EQ(ReceiveWayText(report), "read, up to 64KiB per call, 1000B on average, the payload discarded");
  report.mutable_ways()->set_discard(false);
  report.mutable_ways()->set_receive_wait(v1::RECEIVE_WAIT_POLL);
  EXPECT_EQ(ReceiveWayText(report), "read, up to 64KiB per call, 1000B on average, polls before it blocks");
}

TEST(WayText, CountsNoTransactionsOfAClientAsMessagesOfACall) {
  v1::StreamReport report = Report(v1::SEND_WAY_WRITE, v1::RECEIVE_WAY_READ, 1, 7, 8);
  report.mutable_latency();
  EXPECT_EQ(SendWayText(report), "write");
}

TEST(WayText, TellsWhatZerocopyCopiedAndCallsItNoGain) {
  v1::StreamReport report = Report(v1::SEND_WAY_ZEROCOPY, v1::RECEIVE_WAY_READ, 1, 100, 100);
  report.set_zerocopy_completions(100);
  report.set_zerocopy_copied(25);
  EXPECT_EQ(SendWayText(report),
            "zerocopy, 1.00 messages per call, of 100 completed calls the kernel copied 25% all the same");
  report.set_zerocopy_completions(0);
  EXPECT_EQ(SendWayText(report), "zerocopy, 1.00 messages per call, no call completed");
}

TEST(WayText, SaysNothingOfAReportThatTellsNoWay) {
  EXPECT_EQ(SendWayText({}), "");
  EXPECT_EQ(ReceiveWayText({}), "");
}

}  // namespace
}  // namespace tutti::report
