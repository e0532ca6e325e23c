// The OpenAPI 3.0 schema of a message as report::RenderMessageJson writes it, by reflection. Pure;
// thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>

#include "coordinator/report/document.h"

namespace tutti::http {

// Schemas by the name under which they are referred to.
using Schemas = std::map<std::string, report::Document>;

// {"$ref": "#/components/schemas/RunInfo"}; puts the message and all that it holds into `schemas`.
report::Document SchemaOf(const google::protobuf::Descriptor& type, Schemas& schemas);

}  // namespace tutti::http
