#include "store/postgres/load.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "core/partition.hpp"
#include "store/postgres/params.hpp"
#include "store/postgres/row_mapping.hpp"
#include "store/postgres/statements.hpp"

namespace flowfabric::postgres {
namespace {

Params key_params(const std::vector<IdempotencyKey>& keys) {
    Params params;
    params.add_array(keys, [](const IdempotencyKey& key) { return idempotency_partition(key); });
    params.add_array(keys, [](const IdempotencyKey& key) { return std::string_view(key.namespace_name); });
    params.add_array(keys, [](const IdempotencyKey& key) { return std::string_view(key.key); });
    return params;
}

Params key_params(const std::vector<ExecutionId>& ids) {
    Params params;
    params.add_array(ids, [](const ExecutionId& id) { return id.partition; });
    params.add_array(ids, [](const ExecutionId& id) { return id.uuid; });
    return params;
}

Params key_params(const std::vector<ConsumerKey>& keys) {
    Params params;
    params.add_array(keys, [](const ConsumerKey& key) { return to_string(key.channel); });
    params.add_array(keys, [](const ConsumerKey& key) { return std::string_view(key.name); });
    return params;
}

Params channel_params(const std::vector<ConsumerKey>& keys) {
    Params params;
    params.add_array(keys, [](const ConsumerKey& key) { return to_string(key.channel); });
    return params;
}

template <class Row, class Read>
void load_rows(RowTable<Row>& table, const Rows& rows, Read&& read) {
    for (std::size_t row = 0; row < rows.size(); ++row) table.load(read(rows, row));
}

template <class T>
Params array_of(const std::vector<T>& values) {
    Params params;
    params.add_array(values, [](const T& value) { return value; });
    return params;
}

Params level_params(const ClaimSelection& claim) {
    Params params;
    params.add_array(claim.levels, [](const ClaimLevel& level) { return level.class_id; });
    params.add_array(claim.levels, [](const ClaimLevel& level) { return level.priority; });
    params.add_array(claim.levels, [](const ClaimLevel& level) { return level.floor.created_at_ms; });
    params.add_array(claim.levels, [](const ClaimLevel& level) { return level.floor.execution_uuid; });
    return params;
}

std::vector<std::int32_t> priorities_of(const ClaimSelection& claim) {
    std::vector<std::int32_t> priorities;
    priorities.reserve(claim.levels.size());
    for (const auto& level : claim.levels) priorities.push_back(level.priority);
    std::ranges::sort(priorities, std::greater{});
    priorities.erase(std::ranges::unique(priorities).begin(), priorities.end());
    return priorities;
}

LevelHead read_head(const Rows& rows, std::size_t row) {
    return {.class_id = rows.get<std::int32_t>(row, 0),
            .priority = rows.get<std::int32_t>(row, 1),
            .key = {.created_at_ms = rows.get<std::int64_t>(row, 2), .execution_uuid = rows.get<Uuid>(row, 3)}};
}

bool share_a_class(const ClaimSelection& a, const ClaimSelection& b) {
    return std::ranges::find_first_of(a.class_ids, b.class_ids) != a.class_ids.end();
}

// The wanted keys, which are sorted, that no row has.
template <class Row, class Key>
std::vector<Key> missing_from(const std::vector<Row>& rows, Key Row::* key_of, const std::vector<Key>& wanted) {
    std::vector<Key> present;
    present.reserve(rows.size());
    for (const auto& row : rows) present.push_back(row.*key_of);
    std::ranges::sort(present);

    std::vector<Key> missing;
    std::ranges::set_difference(wanted, present, std::back_inserter(missing));
    return missing;
}

}  // namespace

Loaded Load::run() {
    const auto& sql = load_statements();
    const bool patient = request_.patient;
    const bool keys = !request_.idempotency_keys.empty();
    const bool executions = !request_.executions.empty();

    const bool lanes = !request_.lanes.empty();
    const bool submissions = !request_.submissions.empty();
    const bool consumers = !request_.consumers.empty();

    connection_.send(sql.begin);
    if (lanes || request_.creates) connection_.send(lanes ? sql.own_lanes : sql.share_lanes);
    if (keys) {
        connection_.send(patient ? sql.lock_keys_patiently : sql.lock_keys, key_params(request_.idempotency_keys));
    }
    if (executions) {
        connection_.send(patient ? sql.lock_executions_patiently : sql.lock_executions,
                         key_params(request_.executions));
    }
    for (std::size_t i = 0; i < request_.claims.size(); ++i) send_claim(request_.claims[i], limit_of(i));
    if (lanes) connection_.send(sql.lock_lanes, array_of(request_.lanes));
    if (submissions) connection_.send(sql.lock_submissions, array_of(request_.submissions));
    if (consumers) {
        connection_.send(sql.lock_outboxes, channel_params(request_.consumers));
        connection_.send(sql.find_consumers, key_params(request_.consumers));
    }
    connection_.send(sql.clock);
    connection_.end_section();
    const auto results = connection_.receive();

    Loaded loaded;
    loaded.now_ms = results.back().get<std::int64_t>(0, 0);
    loaded.lane_revision = results.back().get<std::int64_t>(0, 1);
    auto next = results.begin() + (lanes || request_.creates ? 2 : 1);
    if (keys) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            loaded.idempotency.push_back(read_idempotency_row(*next, row));
        }
        ++next;
    }
    if (executions) {
        loaded.executions.reserve(next->size());
        for (std::size_t row = 0; row < next->size(); ++row) loaded.executions.push_back(read_execution(*next, row));
        ++next;
    }
    for (const auto& claim : request_.claims) {
        loaded.claims.push_back(read_claim(claim, *next++));
        if (claim.heads) loaded.claims.back().heads = read_all(*next++, read_head);
    }
    if (lanes) load_rows(loaded.lanes, *next++, read_lane);
    if (submissions) {
        loaded.submissions =
            read_all(*next++, [](const Rows& rows, std::size_t row) { return rows.get<std::int64_t>(row, 0); });
    }
    if (consumers) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            const auto channel = static_cast<std::size_t>(next->get<Channel>(row, 0));
            loaded.trimmed[channel] = next->get<std::int64_t>(row, 1);
        }
        load_rows(loaded.consumers, *++next, read_consumer);
    }
    find_busy(loaded);
    return loaded;
}

void Load::send_claim(const ClaimSelection& claim, std::int64_t limit) {
    const auto& sql = load_statements();
    if (claim.levels.empty()) {
        Params params = array_of(claim.class_ids);
        params.add(limit);
        connection_.send(sql.lock_claimable, params);
        if (claim.heads) connection_.send(sql.heads, array_of(claim.class_ids));
    } else {
        Params params = level_params(claim);
        params.add_array(priorities_of(claim), [](std::int32_t priority) { return priority; });
        params.add(limit);
        params.add_array(claim.class_ids, [](std::int32_t id) { return id; });
        connection_.send(sql.lock_claimable_floored, params);
        if (claim.heads) connection_.send(sql.heads_floored, level_params(claim));
    }
}

// A transaction does not skip its own locks: a selection sees again what an earlier one with a common class has taken,
// and asks for that many more.
std::int64_t Load::limit_of(std::size_t index) const {
    std::int64_t limit = request_.claims[index].count;
    for (std::size_t i = 0; i < index; ++i) {
        if (share_a_class(request_.claims[i], request_.claims[index])) limit += request_.claims[i].count;
    }
    return limit;
}

Claimable Load::read_claim(const ClaimSelection& claim, const Rows& rows) {
    Claimable claimable;
    std::vector<ExecutionId> taken;
    std::uint32_t reclaimable = 0;
    std::uint32_t eligible = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const ExecutionId id = read_execution_id(rows, row);
        if (std::ranges::binary_search(claimed_, id)) continue;
        ExecutionEntry entry;
        RowReader reader(rows, row);
        visit_execution_columns(entry.row, reader);
        auto& count = entry.row.reclaimable_since_ms ? reclaimable : eligible;
        if (count++ >= claim.count) continue;
        entry.input = reader.bytes();
        claimable.rows.push_back(std::move(entry));
        taken.push_back(id);
    }
    claimed_.insert(claimed_.end(), taken.begin(), taken.end());
    std::ranges::sort(claimed_);
    return claimable;
}

// A patient load waited for every row, so what is missing does not exist.
void Load::find_busy(Loaded& loaded) {
    if (request_.patient) return;
    const auto missing_keys = missing_from(loaded.idempotency, &IdempotencyRow::key, request_.idempotency_keys);
    const auto missing = missing_from(loaded.executions, &ExecutionRow::id, request_.executions);
    if (missing_keys.empty() && missing.empty()) return;

    const auto& sql = load_statements();
    if (!missing_keys.empty()) connection_.send(sql.find_keys, key_params(missing_keys));
    if (!missing.empty()) connection_.send(sql.find_executions, key_params(missing));
    connection_.end_section();
    const auto results = connection_.receive();
    if (!missing_keys.empty()) {
        const Rows& rows = results.front();
        for (std::size_t row = 0; row < rows.size(); ++row) {
            loaded.busy_keys.push_back({rows.get<std::string>(row, 0), rows.get<std::string>(row, 1)});
        }
    }
    if (!missing.empty()) {
        const Rows& rows = results.back();
        for (std::size_t row = 0; row < rows.size(); ++row) loaded.busy.push_back(read_execution_id(rows, row));
    }
}

}  // namespace flowfabric::postgres
