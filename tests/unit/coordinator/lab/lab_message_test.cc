#include "coordinator/lab/lab_message.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tutti::lab {
namespace {

TEST(LabMessage, CarriesAHost) {
  LabMessage message{.kind = LabMessage::Kind::kHost};
  message.host = {"host2", "10.77.0.12", "fd00::c", 77, 345'602'469'135'782};
  const auto read = Decode(Encode(message));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->kind, LabMessage::Kind::kHost);
  EXPECT_EQ(read->host.name, "host2");
  EXPECT_EQ(read->host.address, "10.77.0.12");
  EXPECT_EQ(read->host.address6, "fd00::c");
  EXPECT_EQ(read->host.pid, 77);
  EXPECT_EQ(read->host.clock_offset_ns, 345'602'469'135'782);
}

TEST(LabMessage, CarriesAStatusWithTabsAndLines) {
  const LabMessage message{.kind = LabMessage::Kind::kForbidden,
                           .status = absl::PermissionDeniedError("unshare:\tno\nsuch luck")};
  const auto read = Decode(Encode(message));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->kind, LabMessage::Kind::kForbidden);
  EXPECT_EQ(read->status, absl::PermissionDeniedError("unshare: no\nsuch luck"));
}

TEST(LabMessage, CarriesFacts) {
  LabMessage message{.kind = LabMessage::Kind::kFacts, .text = "/run/a b", .log_dir = "/var/log"};
  message.pid = 5;
  const auto read = Decode(Encode(message));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->text, "/run/a b");
  EXPECT_EQ(read->log_dir, "/var/log");
  EXPECT_EQ(read->pid, 5);
}

TEST(LabMessage, RefusesWhatNobodySends) {
  for (const char* bytes :
       {"", "x", "ss", "h\t1\thost1", "h\tx\thost1\t1\t2\t3", "e\tx\ttext", "k\t1", "q\tmore"}) {
    EXPECT_FALSE(Decode(bytes).ok()) << bytes;
  }
}

TEST(LabMessage, TellsSilenceFromAnEnd) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_TRUE(absl::IsUnavailable(ReceiveMessage(ends[0], /*dont_wait=*/true).status()));
  EXPECT_TRUE(SendMessage(ends[1], {.kind = LabMessage::Kind::kStop}));
  auto message = ReceiveMessage(ends[0], /*dont_wait=*/true);
  ASSERT_TRUE(message.ok() && message->has_value());
  EXPECT_EQ((*message)->kind, LabMessage::Kind::kStop);
  close(ends[1]);
  message = ReceiveMessage(ends[0], /*dont_wait=*/true);
  ASSERT_TRUE(message.ok());
  EXPECT_FALSE(message->has_value());
  EXPECT_FALSE(SendMessage(ends[0], {.kind = LabMessage::Kind::kStop}));
  close(ends[0]);
}

}  // namespace
}  // namespace tutti::lab
