#pragma once

#include <string_view>
#include <vector>

#include "core/rows/side_row.hpp"

// What executions are found by that few of them have: each has a row for each of its terms.
namespace flowfabric {

struct SearchTermKey {
    ExecutionId id;
    Uuid term;

    auto operator<=>(const SearchTermKey&) const = default;
};

template <Is<SearchTermKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.id.partition);
    visit("execution_id", key.id.uuid);
    visit("term", key.term);
}

// Its terms follow from the execution's row, so that nobody ever looks for them before changing them.
struct SearchTermRow {
    static constexpr std::string_view table = "ff_search_term";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr bool blind_upsert = true;
    using Key = SearchTermKey;

    SearchTermKey key;
    std::int64_t created_at_ms = 0;  // of the execution

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.id; }

    bool operator==(const SearchTermRow&) const = default;
};

template <Is<SearchTermRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("created_at_ms", row.created_at_ms);
}

// Half a SHA-256, so that no two tags share a term.
Uuid term_of_tag(std::string_view key, std::string_view value);
// Of executions that have failed or expired.
Uuid term_of_failure();
bool counts_as_failure(PublicState state);

// Sorted.
std::vector<Uuid> terms_of(const ExecutionRow& row);

}  // namespace flowfabric
