#include "coordinator/api/http/openapi.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "coordinator/api/http/admission.h"
#include "coordinator/api/http/message_schema.h"
#include "coordinator/api/http/router.h"
#include "coordinator/report/document.h"

namespace tutti::http {
namespace {

using report::Document;

constexpr char kErrorName[] = "Error";

Document TypeSchema(std::string_view type) {
  Document schema = Document::Map();
  schema.Add("type", Document::Text(type));
  return schema;
}

Document KindSchema(QueryKind kind) {
  switch (kind) {
    case QueryKind::kBool:
      return TypeSchema("boolean");
    case QueryKind::kNumber: {
      Document schema = TypeSchema("integer");
      schema.Add("format", Document::Text("int64"));
      schema.Add("minimum", Document::Number(0));
      return schema;
    }
    case QueryKind::kText:
    case QueryKind::kInstant:
    case QueryKind::kDuration:
      break;
  }
  return TypeSchema("string");
}

Document Parameter(std::string_view in, std::string_view name, std::string_view caption, bool required,
                   Document schema) {
  Document parameter = Document::Map();
  parameter.Add("name", Document::Text(name));
  parameter.Add("in", Document::Text(in));
  if (!caption.empty()) parameter.Add("description", Document::Text(caption));
  parameter.Add("required", Document::Bool(required));
  parameter.Add("schema", std::move(schema));
  return parameter;
}

Document Parameters(const Route& route) {
  Document parameters = Document::List();
  for (const std::string& part : SplitPattern(route.pattern)) {
    const std::string variable = VariableOf(part);
    if (!variable.empty()) parameters.Add(Parameter("path", variable, "", true, TypeSchema("string")));
  }
  for (const QueryKey& key : route.query) {
    Document schema = KindSchema(key.kind);
    if (key.repeated) {
      // As lists are written by default: key=a&key=b.
      Document list = TypeSchema("array");
      list.Add("items", std::move(schema));
      schema = std::move(list);
    }
    parameters.Add(Parameter("query", key.name, key.caption, false, std::move(schema)));
  }
  for (const HeaderKey& key : route.headers) {
    parameters.Add(Parameter("header", key.name, key.caption, false, TypeSchema("string")));
  }
  return parameters;
}

// {"application/json": {"schema": ...}}
void AddContent(std::string_view type, Document schema, Document& content) {
  Document media = Document::Map();
  media.Add("schema", std::move(schema));
  content.Add(type, std::move(media));
}

Document Body(const Route& route, Schemas& schemas) {
  Document content = Document::Map();
  AddContent(kJsonType, SchemaOf(*route.request, schemas), content);
  if (route.body == BodyRule::kJsonOrYaml) AddContent(kYamlType, TypeSchema("string"), content);
  Document body = Document::Map();
  body.Add("required", Document::Bool(route.body != BodyRule::kOptional));
  body.Add("content", std::move(content));
  return body;
}

Document SuccessContent(const Route& route, Schemas& schemas) {
  Document content = Document::Map();
  if (route.response != nullptr) AddContent(kJsonType, SchemaOf(*route.response, schemas), content);
  for (const std::string& type : route.content_types) {
    if (route.response != nullptr && type == kJsonType) continue;
    AddContent(type, TypeSchema(type == kJsonType ? "object" : "string"), content);
  }
  return content;
}

Document ResponseWith(std::string_view description, Document content) {
  Document response = Document::Map();
  response.Add("description", Document::Text(description));
  response.Add("content", std::move(content));
  return response;
}

Document ErrorContent() {
  Document reference = Document::Map();
  reference.Add("$ref", Document::Text(std::string("#/components/schemas/") + kErrorName));
  Document content = Document::Map();
  AddContent(kJsonType, std::move(reference), content);
  return content;
}

Document Responses(const Route& route, Schemas& schemas) {
  Document responses = Document::Map();
  responses.Add(std::to_string(route.success), ResponseWith(route.caption, SuccessContent(route, schemas)));
  for (const OtherSuccess& other : route.other_successes) {
    Document content = other.status == 204 ? Document::Map() : SuccessContent(route, schemas);
    responses.Add(std::to_string(other.status), ResponseWith(other.caption, std::move(content)));
  }
  // What any request may meet: it is malformed, or from another site.
  std::set<int> errors{400, 403};
  errors.insert(route.errors.begin(), route.errors.end());
  if (route.body != BodyRule::kNone) errors.insert({408, 413, 415});
  for (const int status : errors) {
    responses.Add(std::to_string(status), ResponseWith("An error", ErrorContent()));
  }
  responses.Add("default", ResponseWith("Another error", ErrorContent()));
  return responses;
}

Document Operation(const Route& route, Schemas& schemas) {
  Document operation = Document::Map();
  operation.Add("operationId", Document::Text(route.operation));
  operation.Add("summary", Document::Text(route.caption));
  operation.Add("parameters", Parameters(route));
  if (route.body != BodyRule::kNone) operation.Add("requestBody", Body(route, schemas));
  operation.Add("responses", Responses(route, schemas));
  return operation;
}

Document ErrorSchema() {
  Document details = TypeSchema("array");
  details.Add("items", TypeSchema("string"));
  Document properties = Document::Map();
  properties.Add("code", TypeSchema("string"));
  properties.Add("message", TypeSchema("string"));
  properties.Add("details", std::move(details));
  Document error = TypeSchema("object");
  error.Add("required", Document::Texts({"code", "message", "details"}));
  error.Add("properties", std::move(properties));
  Document outer = Document::Map();
  outer.Add("error", std::move(error));
  Document schema = TypeSchema("object");
  schema.Add("required", Document::Texts({"error"}));
  schema.Add("properties", std::move(outer));
  return schema;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

Document Paths(const std::vector<Route>& routes, Schemas& schemas) {
  std::vector<std::string> patterns;
  for (const Route& route : routes) {
    if (std::find(patterns.begin(), patterns.end(), route.pattern) == patterns.end()) {
      patterns.emplace_back(route.pattern);
    }
  }
  Document paths = Document::Map();
  for (const std::string& pattern : patterns) {
    Document path = Document::Map();
    for (const Route& route : routes) {
      if (pattern == route.pattern) path.Add(LowerCase(route.method), Operation(route, schemas));
    }
    paths.Add(pattern, std::move(path));
  }
  return paths;
}

}  // namespace

std::string OpenApiDocument(const std::vector<Route>& routes, std::string_view version) {
  Schemas schemas;
  schemas.emplace(kErrorName, ErrorSchema());
  Document paths = Paths(routes, schemas);
  Document info = Document::Map();
  info.Add("title", Document::Text("tutti coordinator"));
  info.Add("version", Document::Text(version));
  Document named = Document::Map();
  for (auto& [name, schema] : schemas) named.Add(name, std::move(schema));
  Document components = Document::Map();
  components.Add("schemas", std::move(named));
  Document document = Document::Map();
  document.Add("openapi", Document::Text("3.0.3"));
  document.Add("info", std::move(info));
  document.Add("paths", std::move(paths));
  document.Add("components", std::move(components));
  return report::DocumentJson(document);
}

}  // namespace tutti::http
