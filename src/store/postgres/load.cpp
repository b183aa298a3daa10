#include "store/postgres/load.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "store/postgres/wire/params.hpp"

namespace flowfabric::postgres {
namespace {

Params channel_params(const std::vector<ConsumerKey>& keys) {
    Params params;
    params.add_array(keys, [](const ConsumerKey& key) { return to_string(key.channel); });
    return params;
}

template <class T>
Params array_of(const std::vector<T>& values) {
    Params params;
    params.add_array(values, [](const T& value) { return value; });
    return params;
}

// How many rows of one level or tail a claim may see.
std::int64_t of_each(const ClaimSelection& claim, std::int64_t limit) {
    return limit - claim.count + claim.count_each;
}

// What lock_claimable and lock_best_claimable begin with.
Params claim_params(const ClaimSelection& claim, std::int64_t limit, std::optional<std::int64_t> now_ms) {
    Params params;
    params.add(limit);
    params.add(of_each(claim, limit));
    params.add(now_ms);
    params.add_array(claim.reclaimable_in, [](std::int32_t id) { return id; });
    return params;
}

void add_ranges(Params& params, const ClaimSelection& claim) {
    const auto& levels = claim.levels;
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> last;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto position = static_cast<std::int32_t>(i) + 1;
        if (i == 0 || levels[i].priority != levels[i - 1].priority) {
            first.push_back(position);
            last.push_back(position);
        }
        last.back() = position;
    }
    const auto same = [](std::int32_t value) { return value; };
    params.add_array(levels, [](const ClaimLevel& level) { return level.class_id; });
    params.add_array(levels, [](const ClaimLevel& level) { return level.priority; });
    params.add_array(levels, [](const ClaimLevel& level) { return level.floor.created_at_ms; });
    params.add_array(levels, [](const ClaimLevel& level) { return level.floor.execution_uuid; });
    params.add_array(first, same);
    params.add_array(last, same);
    params.add_array(claim.tails, [](const ClaimTail& tail) { return tail.class_id; });
    params.add_array(claim.tails, [](const ClaimTail& tail) { return tail.below; });
    params.add(claim.lowest_priority);
}

std::map<ExecutionId, Bytes> read_inputs(const Rows& rows) {
    std::map<ExecutionId, Bytes> inputs;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        inputs.emplace(read_execution_id(rows, row), rows.get<std::optional<Bytes>>(row, 2).value_or(Bytes{}));
    }
    return inputs;
}

LevelHead read_head(const Rows& rows, std::size_t row) {
    return {.class_id = rows.get<std::int32_t>(row, 0),
            .priority = rows.get<std::int32_t>(row, 1),
            .key = {.created_at_ms = rows.get<std::int64_t>(row, 2), .execution_uuid = rows.get<Uuid>(row, 3)}};
}

bool share_a_class(const ClaimSelection& a, const ClaimSelection& b) {
    auto left = a.class_ids.begin();
    auto right = b.class_ids.begin();
    while (left != a.class_ids.end() && right != b.class_ids.end()) {
        if (*left == *right) return true;
        ++(*left < *right ? left : right);
    }
    return false;
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

// The locked executions that say they have such rows, without those that were asked for them at once.
std::vector<ExecutionId> owners_of(const RowType& type, const LoadRequest& request, const Loaded& loaded) {
    std::vector<ExecutionId> owners;
    if (!type.owned) return owners;
    const auto& asked = type.wanted(request.side).owners;
    for (const auto& row : loaded.executions) {
        if (type.has_some(row) && !std::ranges::binary_search(asked, row.id)) owners.push_back(row.id);
    }
    return owners;
}

// Some of them may have been asked for by name.
void add_executions(std::vector<ExecutionRow> related, Loaded& loaded) {
    auto& rows = loaded.executions;
    rows.insert(rows.end(), std::make_move_iterator(related.begin()), std::make_move_iterator(related.end()));
    std::ranges::sort(rows, {}, &ExecutionRow::id);
    const auto repeated = std::ranges::unique(rows, {}, &ExecutionRow::id);
    rows.erase(repeated.begin(), repeated.end());
}

// Calls visit(type) for the side tables that are locked ahead of the executions.
template <class Visit>
void each_first(Visit&& visit) {
    for (const RowType& type : side_row_types()) {
        if (type.lock == RowLock::before_executions) visit(type);
    }
}

template <class Visit>
void each_other(Visit&& visit) {
    for (const RowType& type : side_row_types()) {
        if (type.lock != RowLock::before_executions) visit(type);
    }
}

bool names_consumers(const RowType& type) {
    return &type == &row_type<ConsumerRow>();
}

}  // namespace

// The rows of find_signals.
void Load::load_signals(SideTables& side, const Rows& rows) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
        read_or_report<Failure>(
            damage_, SignalRow::table, [&] { return key_of(row_type<SignalRow>(), rows, row); },
            [&] {
                RowReader reader(rows, row);
                SignalRow signal;
                visit_columns(signal, reader);
                if (auto payload = reader.bytes()) {
                    side.of<SignalPayloadRow>().load({.key = signal.key, .payload = {std::move(*payload)}});
                }
                side.of<SignalRow>().load(std::move(signal));
            });
    }
}

template <class Key>
void Load::send(const LookupStatement& statement, const std::vector<Key>& keys) {
    connection_.send(statement.for_rows(keys.size()), row_params(keys));
}

Loaded Load::run() {
    const auto& sql = load_statements();
    const bool patient = request_.patient;
    const bool keys = !request_.idempotency_keys.empty();
    const bool executions = !request_.executions.empty();

    const bool lanes = !request_.side.of<LaneRow>().none();
    const bool submissions = !request_.submissions.empty();

    connection_.send(sql.begin);
    if (lanes || request_.creates) connection_.send(lanes ? sql.own_lanes : sql.share_lanes);
    if (keys) send(patient ? sql.lock_keys_patiently : sql.lock_keys, request_.idempotency_keys);
    each_first([&](const RowType& type) { send_side(type); });
    if (executions) send(patient ? sql.lock_executions_patiently : sql.lock_executions, request_.executions);
    if (!request_.inputs_of.empty()) send(sql.find_inputs, request_.inputs_of);
    send_children();
    send_live_members();
    for (std::size_t i = 0; i < request_.claims.size(); ++i) {
        const ClaimSelection& claim = request_.claims[i];
        send_claim(claim, limit_of(i));
        if (claim.best_tails > 0) {
            Params classes = array_of(claim.class_ids);
            classes.add(now_ms_);
            connection_.send(sql.heads, classes);
        }
    }
    if (submissions) {
        connection_.send(patient ? sql.lock_submissions_patiently : sql.lock_submissions,
                         array_of(request_.submissions));
    }
    each_other([&](const RowType& type) { send_side(type); });
    send_members_and_ends();
    connection_.send(sql.clock);
    connection_.end_section();
    const auto results = connection_.receive();

    Loaded loaded;
    loaded.now_ms = results.back().get<std::int64_t>(0, 0);
    loaded.lane_revision = results.back().get<std::int64_t>(0, 1);
    loaded.setting_revision = results.back().get<std::int64_t>(0, 2);
    auto next = results.cbegin() + (lanes || request_.creates ? 2 : 1);
    if (keys) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            loaded.idempotency.push_back(read_idempotency_row(*next, row));
        }
        ++next;
    }
    each_first([&](const RowType& type) { read_side(type, next, loaded); });
    if (executions) loaded.executions = read_executions(*next++, loaded);
    if (!request_.inputs_of.empty()) loaded.inputs = read_inputs(*next++);
    read_children(next, loaded);
    read_live_members(next, loaded);
    taken_.resize(request_.claims.size());
    for (std::size_t i = 0; i < request_.claims.size(); ++i) {
        read_claim(i, *next++, loaded.claims.emplace_back());
        if (request_.claims[i].best_tails > 0) loaded.claims.back().heads = read_all(*next++, read_head);
    }
    if (submissions) {
        loaded.submissions =
            read_all(*next++, [](const Rows& rows, std::size_t row) { return rows.get<std::int64_t>(row, 0); });
    }
    each_other([&](const RowType& type) { read_side(type, next, loaded); });
    read_members_and_ends(next, loaded);
    look_behind_damage(loaded);
    look_again(loaded);
    return loaded;
}

void Load::send_children() {
    if (request_.flows.children_of.empty()) return;
    const auto& sql = load_statements();
    const Params flows = key_params(request_.flows.children_of);
    connection_.send(request_.patient ? sql.lock_children_patiently : sql.lock_children, flows);
    connection_.send(sql.find_children, flows);
}

// Those that are named as well are looked for again by their names.
void Load::read_children(Results& next, Loaded& loaded) {
    if (request_.flows.children_of.empty()) return;
    add_executions(read_executions(*next++, loaded), loaded);
    auto children = read_all(*next++, [](const Rows& rows, std::size_t row) { return read_execution_id(rows, row); });
    std::ranges::sort(children);
    auto missing = missing_from(loaded.executions, &ExecutionRow::id, children);
    std::erase_if(missing, [&](const ExecutionId& id) { return loaded.unreadable.contains(id); });
    std::ranges::set_difference(missing, request_.executions, std::back_inserter(loaded.busy));
}

void Load::send_live_members() {
    if (request_.flows.live_members_of.empty()) return;
    const auto each = request_.flows.live_members / request_.flows.live_members_of.size();
    for (const FlowKey& flow : request_.flows.live_members_of) {
        const auto limit = static_cast<std::int64_t>(each);
        connection_.send(load_statements().lock_live_members, Params::of(flow.partition, flow.flow_id, limit));
    }
}

// A damaged one counts as not locked.
void Load::read_live_members(Results& next, Loaded& loaded) {
    constexpr std::size_t record = 3;  // behind what read_member() reads
    for (const FlowKey& flow : request_.flows.live_members_of) {
        const Rows& rows = *next++;
        add_executions(read_executions(rows, loaded, record), loaded);
        std::vector<FlowMember> others;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (rows.cell(row, record)) continue;
            read_or_report<Failure>(
                damage_, "ff_exec_core", [&] { return name_of_execution(rows, row); },
                [&] {
                    const FlowMember member = read_member(rows, row);
                    const bool locked = std::ranges::binary_search(loaded.executions, member.id, {}, &ExecutionRow::id);
                    if (!locked) others.push_back(member);
                });
        }
        std::ranges::sort(others, {}, &FlowMember::id);
        if (!others.empty()) loaded.members.emplace(flow, std::move(others));
    }
}

void Load::send_members_and_ends() {
    if (!request_.flows.members_of.empty()) {
        connection_.send(read_statements().members, key_params(request_.flows.members_of));
    }
    if (!request_.flows.ends.empty()) connection_.send(load_statements().lock_ends, array_of(request_.flows.ends));
}

void Load::read_members_and_ends(Results& next, Loaded& loaded) {
    for (const FlowKey& flow : request_.flows.members_of) loaded.members[flow].clear();
    if (!request_.flows.members_of.empty()) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            read_or_report<Failure>(
                damage_, "ff_exec_core", [&] { return name_of_execution(*next, row); },
                [&] {
                    const FlowMember member = read_member(*next, row);
                    loaded.members[{member.id.partition, next->get<FlowId>(row, 3)}].push_back(member);
                });
        }
        ++next;
    }
    if (!request_.flows.ends.empty()) {
        loaded.ends =
            read_all(*next++, [](const Rows& rows, std::size_t row) { return rows.get<std::int64_t>(row, 0); });
    }
}

void Load::send_claim(const ClaimSelection& claim, std::int64_t limit) {
    const auto& sql = load_statements();
    Params params = claim_params(claim, limit, now_ms_);
    if (claim.best_tails == 0) {
        add_ranges(params, claim);
        connection_.send(sql.lock_claimable, params);
    } else {
        params.add_array(claim.class_ids, [](std::int32_t id) { return id; });
        params.add(std::int64_t{claim.best_tails});
        connection_.send(sql.lock_best_claimable, params);
    }
}

// Behind the locks of whatever it belongs to, so that what is read of that is as it stays.
void Load::send_side(const RowType& type) {
    const auto& sql = side_statements(type);
    const RelatedRows& wanted = type.wanted(request_.side);
    ask_for_related(sql, wanted, [&](const SideLookup& by, std::size_t count, const Params& params) {
        connection_.send(by.find.for_rows(count), params);
    });
    for (const RowRef& key : type.wanted_behind(request_.side)) {
        connection_.send(sql.read_behind, params_behind(key, wanted.piece));
    }
    const std::vector<RowRef> keys = type.wanted_keys(request_.side);
    if (keys.empty() && !wanted.all) return;
    if (names_consumers(type)) {
        connection_.send(load_statements().lock_outboxes, channel_params(request_.side.of<ConsumerRow>().keys));
    }
    if (wanted.alone) connection_.send(sql.lock_all);
    if (wanted.all) return connection_.send(sql.read_all);
    connection_.send(sql.by_key.find.for_rows(keys.size()), params_of(keys).finish());
}

void Load::read_side(const RowType& type, Results& next, Loaded& loaded) {
    const RelatedRows& wanted = type.wanted(request_.side);
    const std::size_t parts = wanted.parts() + type.wanted_behind(request_.side).size();
    for (std::size_t part = 0; part < parts; ++part) load_rows(type, *next++, loaded.side, damage_);
    if (!type.wants_keys(request_.side) && !wanted.all) return;
    if (names_consumers(type)) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            const auto channel = index_of(next->get<Channel>(row, 0));
            loaded.trimmed[channel] = next->get<std::int64_t>(row, 1);
            loaded.drawn[channel] = next->get<std::int64_t>(row, 2);
        }
        ++next;
    }
    if (wanted.alone) ++next;
    load_rows(type, *next++, loaded.side, damage_);
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

std::vector<ExecutionRow> Load::read_executions(const Rows& rows, Loaded& loaded, std::size_t column) {
    std::vector<ExecutionRow> executions;
    executions.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        if (!rows.cell(row, column)) continue;
        ExecutionRow execution;  // its id comes first
        try {
            visit_stored_columns(execution, RecordReader(rows, row, column));
            require_sound(execution);
        } catch (const Failure& failure) {
            damage_.report({"ff_exec_core", execution.id.to_string(), failure.what()});
            loaded.unreadable.emplace(execution.id, failure.what());
            continue;
        }
        executions.push_back(std::move(execution));
    }
    return executions;
}

void Load::read_claim(std::size_t index, const Rows& rows, Claimable& claimable) {
    const ClaimSelection& claim = request_.claims[index];
    Taken& so_far = taken_[index];
    std::vector<ExecutionId> taken;
    bool damaged = false;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ExecutionEntry entry;
        RecordReader reader(rows, row);
        const bool sound = read_or_report<Failure>(
            damage_, "ff_exec_core", [&] { return entry.row.id.to_string(); },
            [&] {
                visit_stored_columns(entry.row, reader);
                require_sound(entry.row);
            });
        damaged = damaged || !sound;
        if (!sound) continue;
        const ExecutionId id = entry.row.id;
        if (std::ranges::binary_search(claimed_, id)) continue;
        auto& count = entry.row.reclaimable_since_ms ? so_far.reclaimable : so_far.eligible;
        if (count >= claim.count) continue;
        claimable.cut = claimed_bytes_ >= max_claimed_bytes;
        if (claimable.cut) break;
        ++count;
        entry.input = reader.bytes();
        const auto size = CellReader<std::optional<std::int32_t>>::read(reader.cell());
        if (size && !entry.input) large_inputs_.push_back(id);
        claimed_bytes_ += static_cast<std::size_t>(size.value_or(0));
        claimable.rows.push_back(std::move(entry));
        taken.push_back(id);
    }
    claimed_.insert(claimed_.end(), taken.begin(), taken.end());
    std::ranges::sort(claimed_);
    if (damaged && !claimable.cut && claimable.rows.size() < claim.count) short_.push_back(index);
}

// A claim that has come upon damaged rows asks for more, from the same place and of more classes, until it is served or
// sees the end. What it has taken comes again, as a transaction does not skip its own locks, and is passed over.
void Load::look_behind_damage(Loaded& loaded) {
    for (const std::size_t index : std::exchange(short_, {})) {
        ClaimSelection claim = request_.claims[index];
        Claimable& found = loaded.claims[index];
        for (std::int64_t limit = 2 * limit_of(index); found.rows.size() < claim.count && !found.cut; limit *= 2) {
            claim.best_tails *= 2;
            send_claim(claim, limit);
            connection_.end_section();
            const Rows rows = std::move(connection_.receive().front());
            read_claim(index, rows, found);
            const bool of_all = claim.best_tails == 0 || claim.best_tails >= claim.class_ids.size();
            if (of_all && std::ssize(rows) < of_each(claim, limit)) break;
        }
    }
    short_.clear();
}

// The second round trip, if there is anything to ask: large inputs of what is claimed, which of the missing rows others
// hold, what the locked executions own, and what those that are claimed have accepted. A patient load waited for every
// row, so what is missing does not exist.
void Load::look_again(Loaded& loaded) {
    std::vector<IdempotencyKey> missing_keys;
    std::vector<ExecutionId> missing;
    if (!request_.patient) {
        missing_keys = missing_from(loaded.idempotency, &IdempotencyRow::key, request_.idempotency_keys);
        missing = missing_from(loaded.executions, &ExecutionRow::id, request_.executions);
    }
    if (!large_inputs_.empty()) send(load_statements().find_inputs, large_inputs_);
    if (!missing_keys.empty()) connection_.send(load_statements().find_keys, key_params(missing_keys));
    if (!missing.empty()) connection_.send(load_statements().find_executions, key_params(missing));
    std::vector<const RowType*> asked_by_owner;
    for (const RowType& type : side_row_types()) {
        const auto owners = owners_of(type, request_, loaded);
        if (owners.empty()) continue;
        send(side_statements(type).by_owner.find, owners);
        asked_by_owner.push_back(&type);
    }
    const auto runs = runs_with_signals(request_, loaded);
    if (!runs.empty()) send(load_statements().find_signals, runs);
    if (connection_.section_size() == 0) return;

    connection_.end_section();
    const auto results = connection_.receive();
    auto next = results.begin();
    if (!large_inputs_.empty()) {
        auto inputs = read_inputs(*next++);
        for (Claimable& claimable : loaded.claims) {
            for (ExecutionEntry& entry : claimable.rows) {
                if (const auto input = inputs.find(entry.row.id); input != inputs.end()) {
                    entry.input = std::move(input->second);
                }
            }
        }
    }
    if (!missing_keys.empty()) {
        for (std::size_t row = 0; row < next->size(); ++row) {
            loaded.busy_keys.push_back({next->get<std::string>(row, 0), next->get<std::string>(row, 1)});
        }
        ++next;
    }
    if (!missing.empty()) {
        for (std::size_t row = 0; row < next->size(); ++row) loaded.busy.push_back(read_execution_id(*next, row));
        ++next;
    }
    for (const RowType* type : asked_by_owner) load_rows(*type, *next++, loaded.side, damage_);
    if (!runs.empty()) load_signals(loaded.side, *next++);
}

}  // namespace flowfabric::postgres
