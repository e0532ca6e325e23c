// What a route is: everything that the server, the documents and the tests know of it.
#pragma once

#include <google/protobuf/descriptor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/api/http/event_feed.h"
#include "coordinator/api/http/message.h"
#include "coordinator/api/http/one_by_one.h"
#include "coordinator/api/http/post_gate.h"
#include "coordinator/api/http/query.h"
#include "coordinator/api/http/shared_text.h"
#include "coordinator/api/http/unsent_bytes.h"
#include "coordinator/api/operations.h"

namespace tutti::http {

// Calls its argument with the page of Prometheus, once, on any thread, perhaps within the call.
using MetricsPage = std::function<void(std::function<void(std::string)>)>;

// Takes the answer, on any thread; the first one counts.
using Reply = std::function<void(Response)>;

// What the handlers of one server share.
struct Context {
  api::Operations& operations;
  std::shared_ptr<PostGate> work;  // where answers are made
  const std::atomic<bool>& ready;
  MetricsPage metrics_page;  // null: there is none
  std::string openapi;       // the document
  std::shared_ptr<UnsentBytes> unsent;
  std::shared_ptr<OneByOne> large_answers;   // of the thread of `work`
  std::shared_ptr<SharedTexts> event_texts;  // of the HTTP thread
};

struct Route;

// A request that was found right so far.
struct Exchange {
  Request request;
  const Route* route = nullptr;
  std::vector<std::string> variables;  // what stands in the place of each {name} of the pattern
  Query query;
  bool head_only = false;  // HEAD: the body is not sent
};

// On the thread of `work`; returns without having waited for anything.
using Handler = void (*)(const Context& context, const Exchange& exchange, Reply reply);
// On the HTTP thread. An error is the answer.
using StreamOpener = absl::StatusOr<std::shared_ptr<EventFeed>> (*)(const Context& context,
                                                                    const Exchange& exchange,
                                                                    EventFeed::Wake wake);

enum class BodyRule {
  kNone,
  kOptional,    // JSON
  kRequired,    // JSON
  kJsonOrYaml,  // or a plan's YAML, with the query for the rest
};

struct HeaderKey {
  const char* name;
  const char* caption;
};

struct OtherSuccess {
  int status;
  const char* caption;
};

struct Route {
  const char* method;
  const char* pattern;  // "/v1/runs/{id}"; where two match, the first one of the table
  const char* operation;
  const char* caption;
  BodyRule body = BodyRule::kNone;
  const google::protobuf::Descriptor* request = nullptr;  // of the JSON body
  std::vector<QueryKey> query;
  std::vector<HeaderKey> headers;
  int success = 200;
  std::vector<OtherSuccess> other_successes;               // with the same content, but 204
  const google::protobuf::Descriptor* response = nullptr;  // of the JSON; null: it is no message
  std::vector<std::string> content_types;                  // further ones
  std::vector<int> errors;                                 // that only this route has a meaning for
  Handler handle = nullptr;
  StreamOpener open = nullptr;  // instead of `handle`
};

}  // namespace tutti::http
