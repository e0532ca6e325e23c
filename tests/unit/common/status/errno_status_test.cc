#include "common/status/errno_status.h"

#include <errno.h>
#include <gtest/gtest.h>

#include "common/status/grpc_status.h"

namespace tutti {
namespace {

TEST(ErrnoStatusTest, SaysWhatWasTriedWhyItFailedAndWhatToDo) {
  const absl::Status status = ErrnoStatus(EADDRINUSE, "bind 10.0.0.1:5201", "choose another port range");
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(status.message(),
            "bind 10.0.0.1:5201: Address already in use (EADDRINUSE); choose another port range");
  EXPECT_EQ(ErrnoOf(status), EADDRINUSE);
}

TEST(ErrnoStatusTest, AnUnknownErrnoIsNamedByItsNumber) {
  EXPECT_EQ(ErrnoStatus(9999, "open x").message(), "open x: unknown error (errno 9999)");
}

TEST(ErrnoStatusTest, ContextIsAddedInFrontAndTheErrnoKept) {
  const absl::Status status = Annotate(ErrnoStatus(ECONNREFUSED, "connect tcp b:1"), "stream 3 on host a");
  EXPECT_EQ(status.message(), "stream 3 on host a: connect tcp b:1: Connection refused (ECONNREFUSED)");
  EXPECT_EQ(ErrnoOf(status), ECONNREFUSED);
  EXPECT_TRUE(Annotate(absl::OkStatus(), "anything").ok());
}

TEST(ErrnoStatusTest, AStatusWithoutErrnoHasNone) { EXPECT_EQ(ErrnoOf(absl::InternalError("x")), 0); }

TEST(GrpcStatusTest, CodeAndMessageSurviveBothWays) {
  const absl::Status before = absl::FailedPreconditionError("role sender: 2 hosts needed, 1 is there");
  EXPECT_EQ(FromGrpc(ToGrpc(before)), before);
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

}  // namespace
}  // namespace tutti
