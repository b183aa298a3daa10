#include "store/postgres/reader.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "store/postgres/row_mapping.hpp"
#include "store/postgres/statements.hpp"

namespace flowfabric::postgres {
namespace {

AttemptRow read_attempt(const Rows& rows, std::size_t row) {
    AttemptRow attempt;
    visit_attempt_columns(attempt, RowReader(rows, row));
    return attempt;
}

Event read_lease_event(const Rows& rows, std::size_t row) {
    LeaseEvent event;
    event.event_id = rows.get<std::int64_t>(row, 0);
    visit_lease_event_columns(event, RowReader(rows, row, 1));
    return event;
}

Event read_completion_event(const Rows& rows, std::size_t row) {
    CompletionEvent event;
    event.event_id = rows.get<std::int64_t>(row, 0);
    visit_completion_event_columns(event, RowReader(rows, row, 1));
    return event;
}

// The blocked vectors that show `waiting` as well are in no partial index; no command stores them.
const Statement& list_statement(const std::optional<PublicState>& state) {
    const auto& sql = read_statements();
    if (!state) return sql.list_all;
    switch (*state) {
        case PublicState::waiting:
        case PublicState::resumable:
            return sql.list_eligible;
        case PublicState::delayed:
            return sql.list_delayed;
        case PublicState::active:
            return sql.list_active;
        default:
            return sql.list_by_state;
    }
}

Params id_params(const ExecutionId& id) {
    return Params::of(id.partition, id.uuid);
}

}  // namespace

Reader::Reader(const std::string& url, std::shared_ptr<TestClock> clock)
    : clock_(std::move(clock)), connection_(url, session_statements().reader) {}

StoreResult<std::int64_t> Reader::now() {
    if (clock_) return clock_->now_ms();
    return guarded([&] { return connection_.run(read_statements().clock).get<std::int64_t>(0, 0); });
}

StoreResult<Due> Reader::select_due(DueKind kind, std::uint32_t limit) {
    return guarded([&] {
        const auto& sql = read_statements();
        const bool leases = kind == DueKind::lease_check;
        Params now;
        now.add(clock_ ? std::optional(clock_->now_ms()) : std::nullopt);
        Params now_and_limit = now;
        now_and_limit.add(std::int64_t{limit});
        connection_.send(sql.transaction_clock, now);
        connection_.send(leases ? sql.due_leases : sql.due_delays, now_and_limit);
        connection_.send(leases ? sql.next_lease : sql.next_delay, now);
        connection_.end_section();
        const auto results = connection_.receive();
        return Due{.now_ms = results[0].get<std::int64_t>(0, 0),
                   .executions = read_all(
                       results[1], [](const Rows& rows, std::size_t row) { return read_execution_id(rows, row); }),
                   .next_at_ms = results[2].get<std::optional<std::int64_t>>(0, 0)};
    });
}

StoreResult<std::optional<ExecutionRow>> Reader::execution(const ExecutionId& id) {
    return guarded([&]() -> std::optional<ExecutionRow> {
        const Rows rows = connection_.run(read_statements().execution, id_params(id));
        if (rows.empty()) return std::nullopt;
        return read_execution(rows, 0);
    });
}

StoreResult<std::optional<Bytes>> Reader::input(const ExecutionId& id) {
    return guarded([&] { return blob(read_statements().input, id); });
}

StoreResult<std::optional<Bytes>> Reader::result(const ExecutionId& id) {
    return guarded([&] { return blob(read_statements().result, id); });
}

std::optional<Bytes> Reader::blob(const Statement& statement, const ExecutionId& id) {
    const Rows rows = connection_.run(statement, id_params(id));
    if (rows.empty()) return std::nullopt;
    return rows.get<std::optional<Bytes>>(0, 0);
}

StoreResult<std::vector<AttemptRow>> Reader::attempts(const ExecutionId& id) {
    return guarded([&] { return read_all(connection_.run(read_statements().attempts, id_params(id)), read_attempt); });
}

StoreResult<std::vector<ExecutionRow>> Reader::list(const ExecutionListQuery& query) {
    return guarded([&] {
        // Partitions are not negative, so this is before the first row.
        Params params = query.after ? id_params(*query.after) : Params::of(std::int16_t{-1}, Uuid{});
        params.add(std::int64_t{query.limit});
        if (query.state) params.add(*query.state);
        return read_all(connection_.run(list_statement(query.state), params), read_execution);
    });
}

StoreResult<std::vector<std::string>> Reader::lanes() {
    return guarded([&] {
        return read_all(connection_.run(read_statements().lanes),
                        [](const Rows& rows, std::size_t row) { return rows.get<std::string>(row, 0); });
    });
}

StoreResult<std::vector<ClaimClass>> Reader::classes() {
    return guarded([&] { return read_all(connection_.run(read_statements().classes), read_class); });
}

StoreResult<std::vector<IdempotencyRow>> Reader::idempotency_keys() {
    return guarded([&] { return read_all(connection_.run(read_statements().idempotency_keys), read_idempotency_row); });
}

// Writers hold the sequence for milliseconds, so the first poll has only to outlast those that it met. Should one stay
// (somebody else's transaction), nothing is known to be decided.
StoreResult<std::int64_t> Reader::watermark(Channel channel) {
    constexpr auto patience = std::chrono::milliseconds(250);
    constexpr auto pause = std::chrono::milliseconds(1);
    return guarded([&] {
        const auto give_up = std::chrono::steady_clock::now() + patience;
        while (true) {
            if (const auto decided = poll_watermark(channel)) return *decided;
            if (std::chrono::steady_clock::now() >= give_up) return std::int64_t{0};
            std::this_thread::sleep_for(pause);
        }
    });
}

std::optional<std::int64_t> Reader::poll_watermark(Channel channel) {
    const auto& sql = read_statements();
    const bool lease = channel == Channel::lease;
    connection_.send(lease ? sql.lease_sequence : sql.completion_sequence);
    connection_.send(lease ? sql.lease_holders : sql.completion_holders);
    connection_.end_section();
    const auto results = connection_.receive();
    auto& watermark = lease ? lease_watermark_ : completion_watermark_;
    return watermark.advance(
        results[0].get<std::int64_t>(0, 0),
        read_all(results[1], [](const Rows& rows, std::size_t row) { return rows.get<std::string>(row, 0); }));
}

StoreResult<std::vector<Event>> Reader::tail(Channel channel, std::int64_t after, std::int64_t up_to,
                                             std::uint32_t limit) {
    return guarded([&] {
        const Params params = Params::of(after, up_to, std::int64_t{limit});
        const auto& sql = read_statements();
        return channel == Channel::lease
                   ? read_all(connection_.run(sql.lease_tail, params), read_lease_event)
                   : read_all(connection_.run(sql.completion_tail, params), read_completion_event);
    });
}

}  // namespace flowfabric::postgres
