#include "engine/queries/queries.hpp"

#include "engine/queries/limits.hpp"
#include "store/fault.hpp"

namespace flowfabric {

EngineError to_engine_error(const QueryError& error) {
    const auto* fault = std::get_if<StoreError>(&error);
    return fault == nullptr ? std::get<EngineError>(error) : to_engine_error(*fault);
}

QueryResult<std::any> answer_any(const Queries& query, StoreReader& reader, const QueryContext& context) {
    return std::visit(
        [&](const auto& asked) -> QueryResult<std::any> {
            if (auto checked = check_limits(asked); !checked) return checked.error();
            auto given = answer(asked, reader, context);
            if (!given) return given.error();
            return std::any(*std::move(given));
        },
        query);
}

}  // namespace flowfabric
