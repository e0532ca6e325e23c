#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "coordinator/report/enum_name.h"
#include "coordinator/report/report.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::MessageDifferencer;
using testing::HasSubstr;

TEST(JsonTest, SixtyFourBitIntegersAreNumbersToTheLastDigit) {
  v1::TrialResult trial;
  trial.set_trial_id(std::numeric_limits<uint64_t>::max());
  trial.set_started_unix_ns(std::numeric_limits<int64_t>::min());
  const std::string json = RenderMessageJson(trial);
  EXPECT_THAT(json, HasSubstr("\"trial_id\": 18446744073709551615"));
  EXPECT_THAT(json, HasSubstr("\"started_unix_ns\": -9223372036854775808"));
  v1::TrialResult back;
  ASSERT_TRUE(ParseMessageJson(json, back).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(trial, back));
}

TEST(JsonTest, NotKnownIsNullAndZeroIsZero) {
  v1::Total total;
  EXPECT_EQ(RenderMessageJson(total, {.indent = false}),
            R"({"value":null,"known":0,"parts_known":0,"parts":0})");
  total.set_value(0);
  EXPECT_EQ(RenderMessageJson(total, {.indent = false}),
            R"({"value":0,"known":0,"parts_known":0,"parts":0})");
  v1::Total back;
  ASSERT_TRUE(ParseMessageJson(R"({"value":null})", back).ok());
  EXPECT_FALSE(back.has_value());
  ASSERT_TRUE(ParseMessageJson(R"({"value":0})", back).ok());
  EXPECT_TRUE(back.has_value());
}

TEST(JsonTest, EnumsAreShortNamesAndListsAreThereWhenEmpty) {
  v1::CaseResult each;
  each.set_status(v1::CASE_STATUS_NOT_RUN);
  const std::string json = RenderMessageJson(each, {.indent = false});
  EXPECT_THAT(json, HasSubstr(R"("status":"not_run")"));
  EXPECT_THAT(json, HasSubstr(R"("rows":[])"));
  v1::CpuChoice choice;
  choice.set_kind(v1::CpuChoice::KIND_NIC_LOCAL);
  EXPECT_THAT(RenderMessageJson(choice, {.indent = false}), HasSubstr(R"("kind":"nic_local")"));
  EXPECT_EQ(EnumName(v1::IP_FAMILY_V6), "v6");
}

TEST(JsonTest, DoublesSurviveAndNanIsNull) {
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 4197.4e6}) {
    v1::Shares shares;
    shares.set_user(value);
    v1::Shares back;
    ASSERT_TRUE(ParseMessageJson(RenderMessageJson(shares), back).ok());
    EXPECT_EQ(back.user(), value);
  }
  v1::Spread spread;
  spread.set_median(std::nan(""));
  spread.set_max(std::numeric_limits<double>::infinity());
  EXPECT_EQ(RenderMessageJson(spread, {.indent = false}),
            R"({"median":null,"min":null,"max":null,"trials":0})");
}

TEST(JsonTest, StringsAreEscapedAndAlwaysUtf8) {
  v1::StreamError error;
  error.set_message("a\"b\\c\n\t\x01 \xC3\xBC \xF0\x9F\x8E\xB5 \xFF\xC3");
  const std::string json = RenderMessageJson(error, {.indent = false});
  EXPECT_EQ(json,
            "{\"errno_value\":0,\"message\":\"a\\\"b\\\\c\\n\\t\\u0001 \xC3\xBC \xF0\x9F\x8E\xB5 "
            "\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  v1::StreamError back;
  ASSERT_TRUE(ParseMessageJson(R"({"message": "\ud83c\udfb5 \u00fc\/"})", back).ok());
  EXPECT_EQ(back.message(), "\xF0\x9F\x8E\xB5 \xC3\xBC/");
}

TEST(JsonTest, MapsAreObjectsInTheOrderOfTheirKeys) {
  v1::Role role;
  (*role.mutable_labels())["z"] = "1";
  (*role.mutable_labels())["a"] = "2";
  EXPECT_THAT(RenderMessageJson(role, {.indent = false}), HasSubstr(R"("labels":{"a":"2","z":"1"})"));
}

TEST(JsonTest, OfAOneofOnlyTheMemberThatIsSetIsThere) {
  v1::RunEvent event;
  event.mutable_phase()->set_phase("measure");
  EXPECT_EQ(
      RenderMessageJson(event, {.indent = false}),
      R"({"run_id":"","at_unix_ns":0,"phase":{"case_index":0,"repetition":0,"phase":"measure"},"sequence":0})");
}

TEST(JsonTest, ASampleComesBackEqual) {
  const v1::Result result = SampleResult();
  const auto back = ParseJson(RenderJson(result));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(MessageDifferencer::Equals(result, *back));
}

// Puts something into fields at random.
void FillAtRandom(Message& message, std::mt19937_64& random, int depth) {
  const Reflection& reflection = *message.GetReflection();
  const Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (random() % 3 == 0 || field.is_map()) continue;
    const int64_t number = static_cast<int64_t>(random());
    const auto pick = [&](auto set, auto add, auto value) {
      field.is_repeated() ? (reflection.*add)(&message, &field, value)
                          : (reflection.*set)(&message, &field, value);
    };
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        pick(&Reflection::SetInt32, &Reflection::AddInt32, static_cast<int32_t>(number));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        pick(&Reflection::SetInt64, &Reflection::AddInt64, number);
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        pick(&Reflection::SetUInt32, &Reflection::AddUInt32, static_cast<uint32_t>(number));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        pick(&Reflection::SetUInt64, &Reflection::AddUInt64, static_cast<uint64_t>(number));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        pick(&Reflection::SetDouble, &Reflection::AddDouble, static_cast<double>(number) / 1e7);
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        pick(&Reflection::SetBool, &Reflection::AddBool, number % 2 == 0);
        break;
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int values = field.enum_type()->value_count();
        const int value =
            field.enum_type()->value(static_cast<int>(static_cast<uint64_t>(number) % values))->number();
        pick(&Reflection::SetEnumValue, &Reflection::AddEnumValue, value);
        break;
      }
      case FieldDescriptor::CPPTYPE_STRING:
        pick(&Reflection::SetString, &Reflection::AddString, std::to_string(number) + "\"\n\xC3\xBC");
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth >= 8) break;
        FillAtRandom(field.is_repeated() ? *reflection.AddMessage(&message, &field)
                                         : *reflection.MutableMessage(&message, &field),
                     random, depth + 1);
        break;
      default:
        ADD_FAILURE() << field.full_name() << " is of a kind that JSON has no form for here";
    }
  }
}

TEST(JsonTest, AnythingComesBackEqualAndProtobufsOwnReaderTakesTheDocument) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 random(seed);
    v1::Result result;
    FillAtRandom(result, random, 0);
    for (const bool indent : {true, false}) {
      v1::Result back;
      const absl::Status status = ParseMessageJson(RenderMessageJson(result, {.indent = indent}), back);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_TRUE(MessageDifferencer::Equals(result, back)) << "seed " << seed;
    }
    google::protobuf::Struct document;
    const auto status = google::protobuf::util::JsonStringToMessage(RenderJson(result), &document);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

struct BadDocument {
  const char* json;
  const char* error;
};

TEST(JsonTest, BadDocumentsAreErrorsThatSayWhere) {
  const BadDocument documents[] = {
      {"", "line 1, column 1"},
      {"[]", "an object is expected"},
      {"{\"schema_version\": 1", "document ends here"},
      {"{\"schema_version\": 1} x", "should end here"},
      {"{\n  \"color\": 1}", "line 2, column 11: color: unknown key"},
      {"{\"run_id\": 5}", "run_id: a string is expected"},
      {"{\"exit_code\": 1.5}", "1.5 is not a whole number"},
      {"{\"exit_code\": 3000000000}", "does not fit"},
      {"{\"exit_code\": \"7\"}", "exit_code: a number is expected"},
      {"{\"schema_version\": -1}", "-1"},
      {"{\"status\": \"fine\"}", "unknown value \"fine\""},
      {"{\"lab\": 1}", "true or false is expected"},
      {"{\"reasons\": \"x\"}", "a list is expected"},
      {"{\"cases\": [{\"index\": 1}, {\"index\": true}]}", "cases[1].index"},
      {"{\"lab\": true, \"lab\": true}", "appears twice"},
      {"{\"run_id\": \"\xFF\"}", "not UTF-8"},
      {"{\"run_id\": \"a", "without an end"},
      {"{\"run_id\": \"\\ud800\"}", "surrogate"},
      {"{\"run_id\": \"\\x\"}", "unknown escape"},
      {"{\"run_id\": \"a\nb\"}", "control character"},
  };
  for (const BadDocument& bad : documents) {
    v1::Result result;
    const absl::Status status = ParseMessageJson(bad.json, result);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.json;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.error)) << bad.json;
  }
}

TEST(JsonTest, AMapThatHasAKeyTwiceIsRefused) {
  v1::Host host;
  const absl::Status status = ParseMessageJson(R"({"labels": {"rack": "a", "rack": "b"}})", host);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("labels: the key \"rack\" appears twice"));
  EXPECT_TRUE(ParseMessageJson(R"({"labels": {"rack": "a", "row": "a"}})", host).ok());
  EXPECT_EQ(host.labels_size(), 2);
}

TEST(JsonTest, ErrorsQuoteTheBeginningOfWhatIsLong) {
  // Two bytes each: the quote must not end within one.
  std::string longer = "x";
  for (int i = 0; i < 100'000; ++i) longer += "\xC3\xBC";
  for (const std::string& json : {"{\"" + longer + "\": 1}", "{\"status\": \"" + longer + "\"}",
                                  "{\"labels\": {\"" + longer + "\": \"\", \"" + longer + "\": \"\"}}",
                                  "{\"exit_code\": " + std::string(100'000, '7') + "}"}) {
    v1::Result result;
    v1::Host host;
    const bool of_host = json.find("labels") != std::string::npos;
    const absl::Status status = of_host ? ParseMessageJson(json, host) : ParseMessageJson(json, result);
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_LT(status.message().size(), 300u);
    EXPECT_THAT(std::string(status.message()), HasSubstr("..."));
    v1::StreamError message;
    message.set_message(std::string(status.message()));
    EXPECT_THAT(RenderMessageJson(message), testing::Not(HasSubstr("\xEF\xBF\xBD"))) << "half a character";
  }
}

TEST(JsonTest, DocumentsThatEndAnywhereAreErrorsAndNeverACrash) {
  const std::string json = RenderJson(SampleResult());
  for (size_t length = 0; length + 2 < json.size(); length += 7) {
    v1::Result result;
    EXPECT_FALSE(ParseMessageJson(std::string_view(json).substr(0, length), result).ok()) << length;
  }
}

TEST(JsonTest, AResultOfANewerSchemaOrNoResultIsRefused) {
  EXPECT_THAT(std::string(ParseJson(R"({"schema_version": 2})").status().message()),
              HasSubstr("use a newer tutti"));
  EXPECT_THAT(std::string(ParseJson("{}").status().message()), HasSubstr("no schema_version"));
  EXPECT_FALSE(ParseJson("nonsense").ok());
  EXPECT_TRUE(ParseJson(R"({"schema_version": 1})").ok());
}

}  // namespace
}  // namespace tutti::report
