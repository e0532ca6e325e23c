#include "coordinator/cli/facts_document.h"

#include <string>
#include <utility>

#include "common/facts/fact_difference.h"

namespace tutti::cli {
namespace {

using report::Document;

const tutti::v1::Host* FindHost(const tutti::v1::Result& result, const std::string& name) {
  for (const tutti::v1::Host& host : result.hosts()) {
    if (host.name() == name) return &host;
  }
  return nullptr;
}

Document DifferencesDocument(const tutti::v1::Host& first, const tutti::v1::Host& second) {
  Document list = Document::List();
  for (const FactDifference& difference : CompareFacts(first.facts(), second.facts())) {
    Document each = Document::Map();
    each.Add("path", Document::Text(difference.path));
    each.Add("first", Document::OptionalText(difference.first));
    each.Add("second", Document::OptionalText(difference.second));
    each.Add("first_reason", Document::Text(difference.first_reason));
    each.Add("second_reason", Document::Text(difference.second_reason));
    each.Add("in_fingerprint", Document::Bool(difference.in_fingerprint));
    list.Add(std::move(each));
  }
  return list;
}

// `first` or `second` is nullptr where that result has no such host.
Document HostDocument(const std::string& name, const tutti::v1::Host* first, const tutti::v1::Host* second) {
  const bool both = first != nullptr && second != nullptr;
  Document document = Document::Map();
  document.Add("name", Document::Text(name));
  document.Add("in_first", Document::Bool(first != nullptr));
  document.Add("in_second", Document::Bool(second != nullptr));
  document.Add("differences", both ? DifferencesDocument(*first, *second) : Document::Null());
  return document;
}

}  // namespace

Document FactsDocument(const tutti::v1::Result& result) {
  Document hosts = Document::List();
  for (const tutti::v1::Host& host : result.hosts()) {
    Document each = Document::Map();
    each.Add("name", Document::Text(host.name()));
    each.Add("machine", Document::Text(host.machine()));
    each.Add("facts", report::MessageDocument(host.facts()));
    hosts.Add(std::move(each));
  }
  return Document::Map().Add("hosts", std::move(hosts));
}

Document FactDifferencesDocument(const tutti::v1::Result& first, const tutti::v1::Result& second) {
  Document hosts = Document::List();
  for (const tutti::v1::Host& host : first.hosts()) {
    hosts.Add(HostDocument(host.name(), &host, FindHost(second, host.name())));
  }
  for (const tutti::v1::Host& host : second.hosts()) {
    if (FindHost(first, host.name()) == nullptr) hosts.Add(HostDocument(host.name(), nullptr, &host));
  }
  Document document = Document::Map();
  document.Add("first", Document::Text(first.run_id()));
  document.Add("second", Document::Text(second.run_id()));
  document.Add("hosts", std::move(hosts));
  return document;
}

}  // namespace tutti::cli
