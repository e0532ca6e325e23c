#include "common/status/grpc_status.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti {
namespace {

TEST(GrpcStatusTest, ComesBackAsItWas) {
  const absl::Status status = absl::NotFoundError("no run \"x\"");
  EXPECT_EQ(FromGrpc(ToGrpc(status)), status);
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
}

TEST(GrpcStatusTest, AMessageThatFitsIsNotTouched) {
  const std::string message(6 * 1024, 'x');
  EXPECT_EQ(ToGrpc(absl::InternalError(message)).error_message(), message);
}

TEST(GrpcStatusTest, ALongerMessageIsCutAndKeepsItsCode) {
  const grpc::Status status = ToGrpc(absl::NotFoundError(std::string(64 * 1024, 'x')));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), std::string(6 * 1024, 'x') + " ... and 59392 more bytes");
}

// Each byte that is not printable ASCII travels as three: 2048 of them are 6 KiB.
TEST(GrpcStatusTest, WhatTheEncodingMakesLongerCountsAsThat) {
  const grpc::Status control = ToGrpc(absl::InternalError(std::string(3000, '\n')));
  EXPECT_EQ(control.error_message(), std::string(2048, '\n') + " ... and 952 more bytes");
  // Two bytes each, and 2047 fit: the last half character goes too.
  std::string umlauts = "x";
  for (int i = 0; i < 2000; ++i) umlauts += "\xC3\xBC";
  const std::string message = ToGrpc(absl::InternalError(umlauts)).error_message();
  EXPECT_EQ(message, umlauts.substr(0, 2047) + " ... and 1954 more bytes");
}

}  // namespace
}  // namespace tutti
