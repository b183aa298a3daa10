#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/handle_codec.hpp"
#include "core/claim/admitted_claim.hpp"
#include "core/command/command.hpp"
#include "core/execution/creation.hpp"
#include "core/execution/held_lease.hpp"
#include "core/execution/state_vector.hpp"
#include "core/rows/changed_columns.hpp"
#include "support/refusals.hpp"

// Rows as decisions meet them, made by hand, and what tells one state of a row from the next.
namespace flowfabric::test {

inline constexpr std::int64_t created_at = 1'700'000'000'000;
inline constexpr std::int64_t claimed_at = created_at + 1'000;
inline constexpr std::uint64_t lease_ttl = 30'000;

inline Uuid uuid_of(std::uint64_t number) {
    Uuid uuid;
    for (std::size_t i = 0; i < 8; ++i) uuid.bytes[15 - i] = static_cast<std::uint8_t>(number >> 8 * i);
    return uuid;
}

inline ExecutionId execution(std::uint64_t number) {
    return {86, uuid_of(number)};
}

inline IdSource ids_of(std::uint64_t seed) {
    return {created_at, seed, seed + 1};
}

inline ExecutionRow waiting_row(std::uint64_t number = 1) {
    ExecutionRow row;
    row.id = execution(number);
    row.created_at_ms = created_at;
    row.class_id = 1;
    row.lane_id = "default";
    row.namespace_name = "default";
    row.execution_kind = "mail";
    row.vector = waiting_vector(AttemptState::pending_first_attempt);
    row.last_transition_at_ms = created_at;
    row.last_mutation_at_ms = created_at;
    return row;
}

inline ExecutionRow delayed_row(std::int64_t until, std::uint64_t number = 1) {
    ExecutionRow row = waiting_row(number);
    row.delay_until_ms = until;
    row.vector = delayed_vector(BlockingReason::waiting_for_delay, AttemptState::pending_first_attempt);
    return row;
}

// Attempt 0 under a lease of worker-a that was claimed at `claimed_at`.
inline ExecutionRow running_row(std::uint64_t number = 1) {
    ExecutionRow row = waiting_row(number);
    row.vector = active_vector();
    row.total_attempt_count = 1;
    row.lease_epoch = 1;
    row.attempt_id = AttemptId{uuid_of(100)};
    row.attempt_type = AttemptType::initial;
    row.attempt_started_at_ms = claimed_at;
    row.lease_id = LeaseId{uuid_of(200)};
    row.worker_id = "worker-a";
    row.worker_instance_id = "instance-a";
    row.lease_acquired_at_ms = claimed_at;
    row.lease_last_renewed_at_ms = claimed_at;
    row.lease_expires_at_ms = claimed_at + static_cast<std::int64_t>(lease_ttl);
    row.lease_check_at_ms = row.lease_expires_at_ms;
    row.started_at_ms = claimed_at;
    row.last_transition_at_ms = claimed_at;
    row.last_mutation_at_ms = claimed_at;
    return row;
}

// The same execution after worker-a fell silent.
inline ExecutionRow reclaimable_row(std::uint64_t number = 1) {
    ExecutionRow row = running_row(number);
    const std::int64_t lapsed_at = *row.lease_expires_at_ms;
    row.vector = lease_expired_vector();
    row.lease_epoch = 2;
    row.lease_check_at_ms.reset();
    row.reclaimable_since_ms = lapsed_at;
    row.interrupt_cause = "lease";
    row.last_transition_at_ms = lapsed_at;
    row.last_mutation_at_ms = lapsed_at;
    return row;
}

// An attempt that gave its lease back in the middle and waits to go on.
inline ExecutionRow resumable_row(std::uint64_t number = 1) {
    ExecutionRow row = running_row(number);
    row.vector = waiting_vector(AttemptState::attempt_interrupted);
    row.lease_id.reset();
    row.worker_id.reset();
    row.worker_instance_id.reset();
    row.lease_acquired_at_ms.reset();
    row.lease_last_renewed_at_ms.reset();
    row.lease_expires_at_ms.reset();
    row.interrupt_cause = "suspension";
    return row;
}

// What the row's last attempt shows as its lease.
inline LeaseRef lease_on(const ExecutionRow& row, HandleKind kind = HandleKind::fresh) {
    return encode_handle(BackendTag::memory, kind,
                         {.execution_id = row.id,
                          .attempt_index = static_cast<std::uint32_t>(row.attempt_index),
                          .attempt_id = row.attempt_id.value_or(AttemptId{}),
                          .lease_id = row.lease_id.value_or(LeaseId{}),
                          .lease_epoch = row.lease_epoch,
                          .lease_ttl_ms = lease_ttl,
                          .lane_id = row.lane_id,
                          .worker_instance_id = row.worker_instance_id.value_or("instance-a")});
}

// For commands with `.source = Source::operator_override`.
inline LeaseRef operator_on(const ExecutionRow& row) {
    return Fence{.execution_id = row.id};
}

inline HeldLease held_lease_on(const ExecutionRow& row) {
    return *held_lease(lease_on(row), Source::lease_holder, Settings{});
}

inline HeldLease held_by_operator(const ExecutionRow& row) {
    return {.execution_id = row.id, .source = Source::operator_override};
}

inline AdmittedClaim claim_by(const std::string& worker, std::uint64_t seed = 7, std::uint32_t count = 1) {
    Claim claim;
    claim.worker_id = worker;
    claim.worker_instance_id = worker + "-1";
    claim.lease_ttl_ms = lease_ttl;
    claim.max_count = count;
    return {.claim = claim, .ids = ids_of(seed)};
}

inline AdmittedCreate create_of(std::uint64_t number) {
    AdmittedCreate create;
    create.row.id = execution(number);
    create.row.class_id = 1;
    create.row.lane_id = "default";
    create.row.namespace_name = "default";
    create.row.execution_kind = "mail";
    create.dedup_window_ms = 1'000;
    return create;
}

// Any command, as a test writes it down.
struct Given {
    Given(Command given) : command(std::move(given)) {}
    Given(AdmittedCreate create) : command(command_of(std::move(create))) {}
    Given(const AdmittedClaim& claim) : command(*admit(claim.claim, Settings{}, claim.ids)) {}
    template <class C>
        requires requires { typename C::Answer; }
    Given(C given) : command(*admit(std::move(given), Settings{}, ids_of(7))) {}

    Command command;
};

// One row, the batch's time and everything that decisions add to it.
struct Desk : BatchRows {
    explicit Desk(ExecutionRow row, std::int64_t now = claimed_at + 1'000) : before(row), entry{.row = std::move(row)} {
        set.now_ms = now;
        set.settings.default_retry_policy.max_retries = 0;
    }

    // A public command, through its front door.
    template <class C>
        requires requires { typename C::Answer; }
    Result<Answer> decide(C command) {
        const auto admitted = admit(std::move(command), settings, ids_of(7));
        if (!admitted) return admitted.error();
        return decide(*admitted);
    }
    // An error leaves the row as it was, unless something of it had lapsed.
    Result<Answer> decide(const Command& command) {
        const ExecutionRow was = entry.row;
        const std::size_t told = set.events.of<LeaseEvent>().size();
        auto answer = command->decide(*this, context);
        const bool expired = set.events.of<LeaseEvent>().size() > told &&
                             set.events.of<LeaseEvent>()[told].event_type == LeaseEventType::expired;
        if (!answer && !expired && !ends_what_has_lapsed(answer.error())) {
            EXPECT_EQ(entry.row, was) << to_string(answer.error());
        }
        return answer;
    }
    const ExecutionRow& row() const { return entry.row; }

    ExecutionEntry* find(const ExecutionId& id) override {
        return id == entry.row.id && entry.change != RowChange::erase ? &entry : nullptr;
    }
    bool is_taken(const ExecutionId& id) const override { return id == entry.row.id; }
    void insert(ExecutionEntry) override { ADD_FAILURE() << "there is one row"; }
    LaneState lane_state(const std::string&) const override { return LaneState::active; }
    const IdempotencyRow* key_owner(const IdempotencyKey&) override { return nullptr; }
    bool has_submission(std::int64_t) const override { return false; }
    ExecutionEntry* next_candidate() override { return std::exchange(candidate, nullptr); }
    std::vector<ExecutionEntry*> held_members(const FlowKey&) override { return {}; }
    const std::vector<FlowMember>& members(const FlowKey&) const override {
        static const std::vector<FlowMember> none;
        return none;
    }
    bool is_undispatched(std::int64_t) const override { return false; }

    ExecutionRow before;
    ExecutionEntry entry;
    ExecutionEntry* candidate = &entry;
    WorkingSet set;
    Settings settings;
    DecisionContext context{set, settings};
};

template <class T>
T answer_of(const Result<Answer>& answer) {
    if (!answer) {
        ADD_FAILURE() << to_string(answer.error());
        return {};
    }
    const T* found = answer->get_if<T>();
    if (found == nullptr) {
        ADD_FAILURE() << "another operation's answer";
        return {};
    }
    return *found;
}

// The columns in which two rows differ, in the table's order.
inline std::vector<std::string> changed_columns(const ExecutionRow& before, const ExecutionRow& after) {
    std::vector<std::string> changed;
    visit_columns_across(
        [&](const char* name, const auto& was, const auto& field, ColumnUse) {
            if (was != field) changed.emplace_back(name);
        },
        before, after);
    return changed;
}

inline std::vector<std::string> columns_of(ColumnUse wanted) {
    std::vector<std::string> names;
    ExecutionRow row;
    visit_execution_columns(row, [&](const char* name, const auto&, ColumnUse use) {
        if (use == wanted) names.emplace_back(name);
    });
    return names;
}

// What stores write of a changed row, in the table's order.
inline std::vector<std::string> written_columns(const ExecutionEntry& entry) {
    std::vector<std::string> written;
    if (entry.change != RowChange::update) return written;
    const ExecutionColumnSet columns = columns_to_write(entry);
    std::size_t column = 0;
    visit_execution_columns(entry.row, [&](const char* name, const auto&, ColumnUse) {
        if (columns.test(column++)) written.emplace_back(name);
    });
    return written;
}

// What the rarest of the written columns are used for.
inline std::optional<ColumnUse> rarest_written(const ExecutionEntry& entry) {
    const auto written = written_columns(entry);
    for (const ColumnUse use : {ColumnUse::fixed, ColumnUse::cold, ColumnUse::hot}) {
        if (std::ranges::find_first_of(written, columns_of(use)) != written.end()) return use;
    }
    return std::nullopt;
}

// A row that changed says so, and as no more and no less than it must.
inline void expect_change_is_reported(const Desk& desk) {
    const auto changed = changed_columns(desk.before, desk.row());
    const auto fixed = columns_of(ColumnUse::fixed);
    for (const auto& name : changed) {
        EXPECT_EQ(std::ranges::find(fixed, name), fixed.end()) << name << " may not change";
    }
    EXPECT_EQ(desk.entry.change, changed.empty() ? RowChange::none : RowChange::update);
    EXPECT_EQ(written_columns(desk.entry), changed);
    EXPECT_TRUE(is_legal(desk.row().vector));
}

inline void expect_untouched(const Desk& desk) {
    EXPECT_EQ(desk.row(), desk.before);
    EXPECT_EQ(desk.entry.change, RowChange::none);
    EXPECT_TRUE(desk.set.events.of<LeaseEvent>().empty());
    EXPECT_TRUE(desk.set.events.of<CompletionEvent>().empty());
    EXPECT_TRUE(desk.set.attempts.empty());
    EXPECT_FALSE(desk.set.work_available);
}

}  // namespace flowfabric::test
