#include "engine/queries/find_execution.hpp"

#include "core/execution/view.hpp"

namespace flowfabric {

StoreResult<std::optional<FoundExecution>> find_execution(StoreReader& reader, const QueryContext& context,
                                                          const ExecutionId& id) {
    for (bool again = false;; again = true) {
        auto row = reader.execution(id);
        if (!row) return row.error();
        if (*row) return std::optional(FoundExecution{.row = std::move(**row)});
        // A submission that has vanished since the first look has become a row.
        if (again || !context.inbox) return std::optional<FoundExecution>{};
        const auto submitted = reader.submissions_of({id});
        if (!submitted) return submitted.error();
        if (!submitted->empty()) {
            return std::optional(FoundExecution{.row = row_of(submitted->front()), .submitted = true});
        }
    }
}

}  // namespace flowfabric
