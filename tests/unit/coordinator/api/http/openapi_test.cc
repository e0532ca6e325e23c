#include "coordinator/api/http/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "coordinator/api/http/router.h"
#include "coordinator/api/http/routes.h"
#include "coordinator/report/document.h"

namespace tutti::http {
namespace {

using report::Document;

// Null: there is no such key.
const Document* At(const Document& map, const std::string& key) {
  for (size_t i = 0; i < map.keys.size(); ++i) {
    if (map.keys[i] == key) return &map.items[i];
  }
  return nullptr;
}

const Document* Resolve(const Document& root, std::string reference) {
  if (reference.rfind("#/", 0) != 0) return nullptr;
  const Document* at = &root;
  for (const std::string& key : SplitPattern(reference.substr(1))) {
    at = at == nullptr ? nullptr : At(*at, key);
  }
  return at;
}

// Every "$ref" below `document`.
void CollectReferences(const Document& document, std::set<std::string>& into) {
  for (size_t i = 0; i < document.items.size(); ++i) {
    if (!document.keys.empty() && document.keys[i] == "$ref") into.insert(document.items[i].text);
    CollectReferences(document.items[i], into);
  }
}

class OpenApiTest : public testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<Document> parsed = report::ParseDocument(OpenApiDocument(Routes(), "1.2.3"));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    root_ = *std::move(parsed);
  }
  // The schema of a message's field.
  const Document* Property(const std::string& message, const std::string& field) {
    return Resolve(root_, "#/components/schemas/" + message + "/properties/" + field);
  }
  std::string TypeOf(const std::string& message, const std::string& field) {
    const Document* property = Property(message, field);
    const Document* type = property == nullptr ? nullptr : At(*property, "type");
    return type == nullptr ? "" : type->text;
  }
  bool IsNullable(const std::string& message, const std::string& field) {
    const Document* property = Property(message, field);
    return property != nullptr && At(*property, "nullable") != nullptr;
  }
  Document root_;
};

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhere) {
  std::set<std::string> references;
  CollectReferences(root_, references);
  EXPECT_GT(references.size(), 20u);
  for (const std::string& reference : references) {
    EXPECT_NE(Resolve(root_, reference), nullptr) << reference;
  }
}

TEST_F(OpenApiTest, EveryRouteIsInItWithItsVariables) {
  const Document* paths = At(root_, "paths");
  ASSERT_NE(paths, nullptr);
  std::set<std::string> operations;
  for (const Route& route : Routes()) {
    const Document* path = At(*paths, route.pattern);
    ASSERT_NE(path, nullptr) << route.pattern;
    std::string method = route.method;
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    const Document* operation = At(*path, method);
    ASSERT_NE(operation, nullptr) << route.pattern;
    EXPECT_TRUE(operations.insert(At(*operation, "operationId")->text).second) << route.operation;
    size_t variables = 0;
    for (const std::string& part : SplitPattern(route.pattern)) variables += VariableOf(part).empty() ? 0 : 1;
    const Document* parameters = At(*operation, "parameters");
    ASSERT_NE(parameters, nullptr);
    EXPECT_EQ(parameters->items.size(), variables + route.query.size() + route.headers.size())
        << route.pattern;
    EXPECT_EQ(At(*operation, "requestBody") != nullptr, route.request != nullptr) << route.pattern;
    EXPECT_NE(At(*At(*operation, "responses"), std::to_string(route.success)), nullptr) << route.pattern;
  }
  EXPECT_EQ(operations.size(), Routes().size());
}

TEST_F(OpenApiTest, EveryRouteHasWhatItNeeds) {
  for (const Route& route : Routes()) {
    EXPECT_NE(route.handle == nullptr, route.open == nullptr) << route.pattern;
    EXPECT_EQ(route.body == BodyRule::kNone, route.request == nullptr) << route.pattern;
    EXPECT_TRUE(route.response != nullptr || !route.content_types.empty()) << route.pattern;
    EXPECT_EQ(route.pattern[0], '/');
  }
}

TEST_F(OpenApiTest, EverySuccessIsInItAndWhatHasNoBodyHasNoContent) {
  const Document* submit = At(*At(*At(*At(root_, "paths"), "/v1/runs"), "post"), "responses");
  ASSERT_NE(submit, nullptr);
  ASSERT_NE(At(*submit, "201"), nullptr);
  ASSERT_NE(At(*submit, "200"), nullptr);
  EXPECT_NE(At(*At(*At(*submit, "200"), "content"), "application/json"), nullptr);
  const Document* events = At(*At(*At(*At(root_, "paths"), "/v1/runs/{id}/events"), "get"), "responses");
  ASSERT_NE(At(*events, "204"), nullptr);
  EXPECT_TRUE(At(*At(*events, "204"), "content")->keys.empty());
}

TEST_F(OpenApiTest, APlanIsRequiredWhereARequestHasOne) {
  for (const char* message : {"SubmitRequest", "ValidatePlanRequest", "DryRunRequest"}) {
    const Document* required = Resolve(root_, std::string("#/components/schemas/") + message + "/required");
    ASSERT_NE(required, nullptr) << message;
    ASSERT_EQ(required->items.size(), 1u);
    EXPECT_EQ(required->items[0].text, "plan");
  }
  EXPECT_EQ(Resolve(root_, "#/components/schemas/RunInfo/required"), nullptr);
}

TEST_F(OpenApiTest, SchemasAreThoseOfOurJson) {
  EXPECT_EQ(TypeOf("SubmitRequest", "max_wait_ns"), "integer");
  EXPECT_TRUE(IsNullable("SubmitRequest", "max_wait_ns"));
  EXPECT_FALSE(IsNullable("SubmitRequest", "plan"));
  EXPECT_EQ(TypeOf("SubmitRequest", "labels"), "object");
  EXPECT_NE(At(*Property("SubmitRequest", "labels"), "additionalProperties"), nullptr);
  EXPECT_EQ(TypeOf("SubmitRequest", "overrides"), "array");
  EXPECT_EQ(TypeOf("SubmitResponse", "repeated_key"), "boolean");
  EXPECT_EQ(TypeOf("LiveEntry", "sent_bps"), "number");
  EXPECT_TRUE(IsNullable("RunInfo", "queued"));
  const Document* state = Resolve(root_, "#/components/schemas/RunInfo.State/enum");
  ASSERT_NE(state, nullptr);
  ASSERT_EQ(state->items.size(), 4u);
  EXPECT_EQ(state->items[3].text, "ended");
  EXPECT_EQ(At(root_, "openapi")->text, "3.0.3");
  EXPECT_EQ(Resolve(root_, "#/info/version")->text, "1.2.3");
}

}  // namespace
}  // namespace tutti::http
