// A request and a response as the routes see them, whatever carries them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::http {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // as written
  std::string target;  // as written: "/v1/runs?status=passed"
  int minor_version = 1;
  bool keep_alive = false;
  bool has_body = false;
  Fields fields;  // names in lower case
  std::string body;

  // The first field of this name; null: there is none.
  const std::string* Find(std::string_view lower_case_name) const {
    for (const auto& [name, value] : fields) {
      if (name == lower_case_name) return &value;
    }
    return nullptr;
  }
};

struct Response {
  int status = 200;
  std::string content_type;  // empty: no body and nothing said of one
  // Of UnsentBytes, for the body; null: that is not counted. Goes behind the body.
  std::shared_ptr<const void> share;
  std::string body;
  Fields fields;  // further ones; values hold no line breaks
};

}  // namespace tutti::http
