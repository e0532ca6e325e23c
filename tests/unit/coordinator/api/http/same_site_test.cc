#include "coordinator/api/http/same_site.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::http {
namespace {

const SiteRule kLoopback{false, true, "localhost"};
const SiteRule kNamedLoopback{false, true, "127.0.0.1"};
const SiteRule kAnywhere{false, false, "0.0.0.0"};
const SiteRule kUnix{true, true, ""};

// The status of the refusal; 0: none.
int Refusal(const SiteRule& rule, const Fields& fields, const std::string& authority = "") {
  Request request;
  request.fields = fields;
  const auto refusal = RefuseOtherSites(request, authority, rule);
  return refusal ? refusal->status : 0;
}

TEST(SameSiteTest, OnLoopbackOnlyNamesOfThisHostWillDo) {
  for (const char* host : {"127.0.0.1:7118", "127.0.0.1", "[::1]:7118", "LOCALHOST:7118", "10.0.0.1"}) {
    EXPECT_EQ(Refusal(kNamedLoopback, {{"host", host}}), 0) << host;
  }
  for (const char* host : {"evil.example", "evil.example:7118", "127.0.0.1.evil.example",
                           "localhost.evil.example", "", "[evil]"}) {
    EXPECT_EQ(Refusal(kLoopback, {{"host", host}}), host[0] == '\0' ? 0 : 403) << host;
  }
}

TEST(SameSiteTest, BeyondLoopbackAHostHasManyNames) {
  EXPECT_EQ(Refusal(kAnywhere, {{"host", "lab7.example:7118"}}), 0);
}

TEST(SameSiteTest, ThereIsOneHost) {
  EXPECT_EQ(Refusal(kLoopback, {}), 400);
  EXPECT_EQ(Refusal(kLoopback, {{"host", "localhost"}, {"host", "localhost"}}), 400);
}

TEST(SameSiteTest, TheHostOfAnAbsoluteTargetWins) {
  EXPECT_EQ(Refusal(kLoopback, {{"host", "localhost"}}, "evil.example"), 403);
}

TEST(SameSiteTest, OnlyThePagesOfThisSiteMayAsk) {
  for (const SiteRule& rule : {kLoopback, kAnywhere}) {
    EXPECT_EQ(Refusal(rule, {{"host", "localhost:7118"}, {"origin", "http://localhost:7118"}}), 0);
    for (const char* origin : {"http://localhost", "https://localhost:7118", "http://evil.example", "null",
                               "", "http://localhost:7118.evil.example"}) {
      EXPECT_EQ(Refusal(rule, {{"host", "localhost:7118"}, {"origin", origin}}), 403) << origin;
    }
  }
}

TEST(SameSiteTest, NoBrowserComesThroughAUnixSocket) {
  EXPECT_EQ(Refusal(kUnix, {{"host", "anything"}, {"origin", "http://evil.example"}}), 0);
}

}  // namespace
}  // namespace tutti::http
