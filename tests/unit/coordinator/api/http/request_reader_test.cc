#include "coordinator/api/http/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti::http {
namespace {

using testing::HasSubstr;
using Step = RequestReader::Step;

constexpr char kPost[] =
    "POST /v1/runs?a=b HTTP/1.1\r\nHost: h\r\nX-Two:  words \r\nContent-Length: 5\r\n\r\nhello";

TEST(RequestReaderTest, ARequestIsTheSameHoweverItIsCut) {
  const std::string text = kPost;
  for (size_t cut = 1; cut < text.size(); ++cut) {
    RequestReader reader((Limits()));
    reader.Append(text.substr(0, cut));
    Step step = reader.Advance();
    if (step == Step::kHead) step = reader.Advance();
    ASSERT_EQ(step, Step::kNeedMore) << cut;
    reader.Append(text.substr(cut));
    step = reader.Advance();
    if (step == Step::kHead) step = reader.Advance();
    ASSERT_EQ(step, Step::kRequest) << cut;
    const Request request = reader.TakeRequest();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/v1/runs?a=b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_TRUE(request.has_body);
    EXPECT_TRUE(request.keep_alive);
    ASSERT_NE(request.Find("x-two"), nullptr);
    EXPECT_EQ(*request.Find("x-two"), "words");
    EXPECT_FALSE(reader.has_bytes());
  }
}

TEST(RequestReaderTest, TheNextRequestBeginsWhereTheBodyEnds) {
  RequestReader reader((Limits()));
  reader.Append(std::string(kPost) + "\r\nGET / HTTP/1.0\r\n\r\n");
  ASSERT_EQ(reader.Advance(), Step::kHead);
  EXPECT_TRUE(reader.waits_for_body());
  ASSERT_EQ(reader.Advance(), Step::kRequest);
  reader.TakeRequest();
  EXPECT_TRUE(reader.has_bytes());
  ASSERT_EQ(reader.Advance(), Step::kHead);
  EXPECT_FALSE(reader.waits_for_body());
  ASSERT_EQ(reader.Advance(), Step::kRequest);
  EXPECT_EQ(reader.request().method, "GET");
  EXPECT_EQ(reader.request().minor_version, 0);
  EXPECT_FALSE(reader.request().keep_alive);
}

TEST(RequestReaderTest, ABodyAsLongAsTheLimitIsTakenAndOneByteMoreIsNot) {
  Limits limits;
  limits.body_bytes = 10;
  for (const bool chunked : {false, true}) {
    for (const size_t size : {size_t{10}, size_t{11}}) {
      RequestReader reader(limits);
      const std::string body(size, 'x');
      std::string text = "POST / HTTP/1.1\r\nHost: h\r\n";
      if (chunked) {
        // "a" and "b" are the sizes.
        text += std::string("Transfer-Encoding: chunked\r\n\r\n") + (size == 10 ? "a" : "b") + "\r\n" + body +
                "\r\n0\r\n\r\n";
      } else {
        text += "Content-Length: " + std::to_string(size) + "\r\n\r\n" + body;
      }
      reader.Append(text);
      Step step = reader.Advance();
      if (step == Step::kHead) step = reader.Advance();
      EXPECT_EQ(step, size == 10 ? Step::kRequest : Step::kFailed) << chunked << " " << size;
      if (size == 11) {
        EXPECT_EQ(reader.failure().status, 413);
      } else {
        EXPECT_EQ(reader.request().body, body);
      }
    }
  }
}

TEST(RequestReaderTest, WhatStandsBetweenChunksIsBoundedToo) {
  RequestReader reader((Limits()));
  reader.Append("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;");
  ASSERT_EQ(reader.Advance(), Step::kHead);
  Step step = reader.Advance();
  for (int i = 0; i < 100 && step == Step::kNeedMore; ++i) {
    reader.Append(std::string(1000, 'e'));
    step = reader.Advance();
  }
  ASSERT_EQ(step, Step::kFailed);
  EXPECT_NE(reader.failure().status, 200);
}

TEST(RequestReaderTest, AFailureStays) {
  RequestReader reader((Limits()));
  reader.Append("nonsense\n");
  EXPECT_EQ(reader.Advance(), Step::kFailed);
  reader.Append("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(reader.Advance(), Step::kFailed);
  EXPECT_EQ(reader.failure().status, 400);
  EXPECT_THAT(reader.failure().body, HasSubstr("invalid_argument"));
}

}  // namespace
}  // namespace tutti::http
