#include "worker/load/send_failures.h"

#include <errno.h>

#include "gtest/gtest.h"
#include "tests/nanoseconds.h"

namespace tutti::load {
namespace {

TEST(SendFailures, AFullQueueIsBadLuckAndAnUnknownErrnoIsFatal) {
  EXPECT_EQ(ClassifySendFailure(ENOBUFS), SendFailure::kTransient);
  EXPECT_EQ(ClassifySendFailure(EAGAIN), SendFailure::kTransient);
  EXPECT_EQ(ClassifySendFailure(ECONNREFUSED), SendFailure::kUnreachable);
  EXPECT_EQ(ClassifySendFailure(EHOSTUNREACH), SendFailure::kUnreachable);
  EXPECT_EQ(ClassifySendFailure(EMSGSIZE), SendFailure::kFatal);
  EXPECT_EQ(ClassifySendFailure(EBADF), SendFailure::kFatal);
}

TEST(PersistentFailure, ABurstOfRefusalsIsNotYetPersistent) {
  PersistentFailure failure;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(failure.Add(i * 1000));
}

TEST(PersistentFailure, RefusalsOfOneASecondPersist) {
  PersistentFailure failure;
  EXPECT_FALSE(failure.Add(0));
  EXPECT_FALSE(failure.Add(1000 * kMs));
  EXPECT_TRUE(failure.Add(2000 * kMs));
}

TEST(PersistentFailure, AQuietOfThreeSecondsStartsAnew) {
  PersistentFailure failure;
  EXPECT_FALSE(failure.Add(0));
  EXPECT_FALSE(failure.Add(499 * kMs));
  EXPECT_FALSE(failure.Add(3500 * kMs));
  EXPECT_FALSE(failure.Add(3600 * kMs));
  EXPECT_TRUE(failure.Add(4000 * kMs));
}

}  // namespace
}  // namespace tutti::load
