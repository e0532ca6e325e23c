// Early return of a status that is not ok.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TUTTI_RETURN_IF_ERROR(expression)                                                     \
  do {                                                                                        \
    if (absl::Status tutti_status_ = (expression); !tutti_status_.ok()) return tutti_status_; \
  } while (false)

#define TUTTI_CONCAT_INNER_(a, b) a##b
#define TUTTI_CONCAT_(a, b) TUTTI_CONCAT_INNER_(a, b)

#define TUTTI_ASSIGN_OR_RETURN(declaration, expression) \
  TUTTI_ASSIGN_OR_RETURN_(TUTTI_CONCAT_(tutti_statusor_, __LINE__), declaration, expression)
// A declaration cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define TUTTI_ASSIGN_OR_RETURN_(result, declaration, expression) \
  auto result = (expression);                                    \
  if (!result.ok()) return result.status();                      \
  declaration = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)
