#pragma once

#include <utility>
#include <variant>

#include "flowfabric/result.hpp"
#include "store/port.hpp"

namespace flowfabric {

// Why a query has no answer: what the store did, which decides over its connection, or what the caller is told.
using QueryError = std::variant<StoreError, EngineError>;

// For callers that do not care for the connection.
EngineError to_engine_error(const QueryError& error);

template <class T>
class [[nodiscard]] QueryResult : public Expected<T, QueryError> {
  public:
    // NOLINTBEGIN(google-explicit-constructor)
    QueryResult(T value) : Expected<T, QueryError>(std::move(value)) {}
    QueryResult(StoreError error) : Expected<T, QueryError>(QueryError(std::move(error))) {}
    QueryResult(EngineError error) : Expected<T, QueryError>(QueryError(std::move(error))) {}
    QueryResult(QueryError error) : Expected<T, QueryError>(std::move(error)) {}
    // NOLINTEND(google-explicit-constructor)
};

}  // namespace flowfabric
