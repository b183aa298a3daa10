#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_set>

#include "core/base/partition.hpp"
#include "core/rows/changed_columns.hpp"
#include "core/rows/event_rows.hpp"
#include "core/rows/key_text.hpp"
#include "core/suspension/accepted_signals.hpp"
#include "store/sqlite/checkpoint.hpp"
#include "store/sqlite/claim_selector.hpp"
#include "store/sqlite/instance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/query.hpp"
#include "store/sqlite/side_table.hpp"
#include "store/sqlite/statements.hpp"
#include "store/sqlite/writer_lock.hpp"

namespace flowfabric::sqlite {
namespace {

constexpr std::int64_t marker_lifetime_ms = std::int64_t{7} * 24 * 60 * 60 * 1000;

// The writer lock and an immediate transaction, from construction to destruction. Uncommitted, it rolls back.
class Transaction {
  public:
    Transaction(const Database& database, WriterLock& lock) : hold_(lock), database_(database) {
        database_.execute("BEGIN IMMEDIATE");
    }
    ~Transaction() {
        if (database_.in_transaction()) sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

  private:
    std::unique_lock<WriterLock> hold_;
    const Database& database_;
};

// A read transaction, from construction to destruction.
class Snapshot {
  public:
    explicit Snapshot(const Database& database) : database_(database) { database_.execute("BEGIN"); }
    ~Snapshot() { sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

  private:
    const Database& database_;
};

Database open_for_writing(const std::string& path) {
    Database database(path, OpenMode::read_write);
    // secure_delete, on by default in some packages, would overwrite every index entry that a claim removes.
    database.execute(
        "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = OFF; "
        "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
    return database;
}

class SqliteWriter final : public StoreWriter {
  public:
    explicit SqliteWriter(std::shared_ptr<Instance> instance)
        : instance_(std::move(instance)),
          lock_(instance_->path, instance_->interrupts),
          database_(open_for_writing(instance_->path)),
          checkpointer_(database_) {
        sqlite3_randomness(static_cast<int>(writer_id_.bytes.size()), writer_id_.bytes.data());
    }

    StoreResult<Routes> ensure_classes(const RoutesWanted& wanted) override {
        return guarded([&] {
            if (!wanted.missing.empty()) {
                const Transaction transaction(database_, lock_);
                const auto now_ms = read_now();
                for (const auto& spec : wanted.missing) {
                    Query(insert_lane_, spec.lane_id, now_ms).run();
                    Query(insert_class_, spec.lane_id, spec.required_capabilities).run();
                }
                commit(now_ms);
            }
            return read_wanted(wanted);
        });
    }

    StoreResult<Loaded> load(const LoadRequest& request) override {
        auto loaded = guarded([&] {
            transaction_.emplace(database_, lock_);
            return select(request);
        });
        if (!loaded) transaction_.reset();
        return loaded;
    }

    StoreResult<std::vector<Undispatched>> save(const WorkingSet& changes) override {
        if (!transaction_) throw std::logic_error("save without load");
        auto saved = guarded([&] {
            auto ends = write(changes);
            commit(changes.now_ms);
            return ends;
        });
        transaction_.reset();
        return saved;
    }

    void abandon() override { transaction_.reset(); }

    // A failed COMMIT may have left its frames in the WAL, where a crash would bring them back; the commit made here
    // overwrites them.
    StoreResult<bool> outcome(const Marker& marker) override {
        return guarded([&] {
            const Transaction transaction(database_, lock_);
            bool committed = false;
            if (Query query(find_marker_, marker.writer_id); query.next()) {
                committed = query.take<std::int64_t>() >= marker.batch_no;
            }
            commit(read_now());
            return committed;
        });
    }

    StoreResult<std::uint32_t> sweep(std::uint32_t limit, std::int64_t age_ms) override {
        return guarded([&] {
            const Transaction transaction(database_, lock_);
            const auto now_ms = read_now();
            int removed = Query(sweep_worker_events_, now_ms - age_ms, limit).run();
            for (Statement* keys : {&sweep_keys_, &sweep_signal_keys_, &sweep_claim_requests_, &sweep_usage_keys_}) {
                removed += Query(*keys, now_ms, limit).run();
            }
            if (removed > 0) commit(now_ms);
            return static_cast<std::uint32_t>(removed);
        });
    }

    StoreResult<std::uint32_t> retire_lease_checks(std::uint32_t limit) override {
        return guarded([&] {
            const Transaction transaction(database_, lock_);
            const auto now_ms = read_now();
            const auto cleared = Query(clear_lease_checks_, now_ms, limit).run();
            if (cleared > 0) commit(now_ms);
            return static_cast<std::uint32_t>(cleared);
        });
    }

    StoreResult<OutboxState> open_outbox(Channel channel) override {
        constexpr std::int64_t at_once = 1000;
        auto opened = guarded([&] {
            transaction_.emplace(database_, lock_);
            OutboxState state{.now_ms = read_now(), .trimmed = read_trim_points(trim_points_)[index_of(channel)]};
            Query slowest(slowest_consumer_, channel);
            if (slowest.next()) slowest.read(state.slowest_consumer);
            if (channel == Channel::completion) {
                Query undispatched(first_undispatched_);
                if (undispatched.next()) undispatched.read(state.first_undispatched);
            }
            auto oldest = prepare(statements::oldest_events(channel));
            if (Query query(oldest, at_once); query.next()) {
                auto& run = state.oldest.emplace_back();
                query.read(run.last_id);
                query.read(run.newest_at_ms);
            }
            return state;
        });
        if (!opened) transaction_.reset();
        return opened;
    }

    StoreResult<void> trim_outbox(Channel channel, const Trim& trim) override {
        if (!transaction_) throw std::logic_error("trim_outbox without open_outbox");
        auto trimmed = guarded([&] {
            auto remove = prepare(statements::remove_events(channel));
            Query(remove, trim.through).run();
            Query(set_trim_point_, trim.through, channel).run();
            commit(read_now());
        });
        transaction_.reset();
        return trimmed;
    }

    // Other processes watch the file (wake_source.cpp).
    std::optional<std::chrono::milliseconds> notifications_due() override { return std::nullopt; }
    void flush_notifications() override {}

    StoreResult<void> maintain() override {
        return guarded([&] {
            if (!checkpointer_.pending()) return;
            const std::unique_lock hold(lock_, std::try_to_lock);
            if (!hold) return;
            if (const int code = checkpointer_.run(); code != SQLITE_OK) throw_fault(database_.get(), code);
        });
    }

  private:
    // ---- load ---------------------------------------------------------------------------------------------------

    std::int64_t read_now() {
        Query query(read_clock_);
        query.next();
        return std::max(instance_->clock_ms(), query.take<std::int64_t>());
    }

    // Classes, states, settings and their revisions are of one moment. As in read_routes(), a class that cannot be read
    // has no lane, and a lane whose state cannot be read is disabled.
    Routes read_wanted(const RoutesWanted& wanted) {
        const Snapshot snapshot(database_);
        DamageLog& damage = *instance_->damage;
        Routes routes;
        Query revisions(read_revisions_);
        revisions.next();
        revisions.read(routes.lane_revision);
        revisions.read(routes.setting_revision);
        routes.settings = read_settings(side_, damage);
        for (const auto& lane_id : wanted.lanes) {
            for (Query query(lane_classes_, lane_id); query.next();) {
                auto& known = routes.classes.emplace_back();
                query.read(known.class_id);
                const bool readable = read_or_report<Fault>(
                    damage, "ff_claim_class", [&] { return std::to_string(known.class_id); },
                    [&] { query.read(known.required_capabilities); });
                if (readable) known.lane_id = lane_id;
            }
        }
        if (routes.lane_revision == wanted.known_revision) return routes;
        for (Query query(closed_lanes_); query.next();) {
            const auto lane_id = query.take_text();
            LaneState state = LaneState::disabled;
            const bool knows_state = read_or_report<Fault>(
                damage, LaneRow::table, [&]() -> const std::string& { return lane_id; }, [&] { query.read(state); });
            if (!knows_state) routes.unreadable_lanes.insert(lane_id);
            routes.lane_states.emplace(lane_id, state);
        }
        return routes;
    }

    Loaded select(const LoadRequest& request) {
        Loaded loaded;
        loaded.now_ms = read_now();
        for (const auto& key : request.idempotency_keys) {
            const auto partition = idempotency_partition(key.namespace_name, key.key);
            Query query(find_idempotency_key_, partition, key.namespace_name, key.key);
            if (!query.next()) continue;
            auto& row = loaded.idempotency.emplace_back();
            row.key = key;
            query.read(row.execution_id.partition);
            query.read(row.execution_id.uuid);
            query.read(row.expires_at_ms);
            query.read(row.request_digest);
            query.read(row.first_state);
        }
        loaded.executions.reserve(request.executions.size());
        for (const auto& id : request.executions) select_execution(id, loaded);
        for (const auto& id : children_of(request)) select_execution(id, loaded);
        select_live_members(request, loaded);
        for (const auto& id : request.inputs_of) {
            Query query(find_input_, id.partition, id.uuid);
            if (query.next()) loaded.inputs.emplace(id, query.take_bytes());
        }
        Query revisions(read_revisions_);
        revisions.next();
        revisions.read(loaded.lane_revision);
        revisions.read(loaded.setting_revision);
        for (SideTable& table : side_) table.load(request.side, loaded.executions, loaded.side, *instance_->damage);
        for (const auto event_id : request.flows.ends) {
            if (Query(is_undispatched_, event_id).next()) loaded.ends.push_back(event_id);
        }
        for (const FlowKey& flow : request.flows.members_of)
            loaded.members[flow] = read_members(members_, flow, *instance_->damage).rows;
        if (!request.side.of<ConsumerRow>().none()) {
            loaded.trimmed = read_trim_points(trim_points_);
            for (const Channel channel : channels) {
                Query drawn(watermark_, outbox_of_channel(channel).table);
                if (drawn.next()) drawn.read(loaded.drawn[index_of(channel)]);
            }
        }
        ClaimSelector::Taken taken;
        for (const auto& selection : request.claims) {
            loaded.claims.push_back(claims_.select(selection, loaded.now_ms, taken));
        }
        for (const RunKey& run : runs_with_signals(request, loaded)) select_signals(run, loaded.side);
        return loaded;
    }

    void select_signals(const RunKey& run, SideTables& into) {
        const auto& [id, replay_count] = run;
        SignalAllowance allowance;
        for (Query query(signals_of_run_, id.partition, id.uuid, replay_count); query.next();) {
            SignalRow signal;
            const bool sound = read_or_report<Fault>(
                *instance_->damage, SignalRow::table,
                [&] {
                    return name_of_row(query, [](Query& row) { return row_type<SignalRow>().read_key(row.row()); });
                },
                [&] { signal = read_row<SignalRow>(query.row()); });
            if (!sound) continue;
            const std::size_t bytes = select_payload(signal.key, into);
            into.of<SignalRow>().load(std::move(signal));
            if (!allowance.take(bytes)) return;
        }
    }

    // Its size.
    std::size_t select_payload(const SignalKey& key, SideTables& into) {
        SignalPayloadRow row{.key = key, .payload = {}};
        Query query(signal_payload_, key.execution_id.partition, key.execution_id.uuid, key.seq);
        if (!query.next()) return 0;
        const bool sound = read_or_report<Fault>(
            *instance_->damage, SignalPayloadRow::table, [&] { return key_text(key); },
            [&] { row.payload = query.take<Binary>(); });
        if (!sound) return 0;
        const std::size_t bytes = row.payload.bytes.size();
        into.of<SignalPayloadRow>().load(std::move(row));
        return bytes;
    }

    void select_execution(const ExecutionId& id, Loaded& loaded) {
        Query query(find_execution_, id.partition, id.uuid);
        if (!query.next()) return;
        ExecutionRow row;
        try {
            read_row(query, row);
        } catch (const Fault& fault) {
            instance_->damage->report({"ff_exec_core", id.to_string(), fault.what()});
            loaded.unreadable.emplace(id, fault.what());
            return;
        }
        loaded.executions.push_back(std::move(row));
    }

    // Without those that are named.
    std::vector<ExecutionId> children_of(const LoadRequest& request) {
        std::vector<ExecutionId> children;
        for (const FlowKey& flow : request.flows.children_of) {
            for (Query query(pending_children_, flow.partition, flow.flow_id); query.next();) {
                const ExecutionId id{flow.partition, query.take<Uuid>()};
                if (!std::ranges::binary_search(request.executions, id)) children.push_back(id);
            }
        }
        return children;
    }

    // Likewise.
    void select_live_members(const LoadRequest& request, Loaded& loaded) {
        std::uint32_t left = request.flows.live_members;
        for (const FlowKey& flow : request.flows.live_members_of) {
            for (const FlowMember& member : read_members(members_, flow, *instance_->damage).rows) {
                const bool named = std::ranges::binary_search(request.executions, member.id);
                if (named || member.phase == LifecyclePhase::terminal) continue;
                if (left == 0) {
                    loaded.members[flow].push_back(member);
                } else {
                    --left;
                    select_execution(member.id, loaded);
                }
            }
        }
    }

    // ---- save ---------------------------------------------------------------------------------------------------

    std::vector<Undispatched> write(const WorkingSet& changes) {
        for (const auto& row : changes.idempotency) {
            Query(save_idempotency_key_, idempotency_partition(row.key.namespace_name, row.key.key),
                  row.key.namespace_name, row.key.key, row.execution_id.partition, row.execution_id.uuid,
                  row.expires_at_ms, row.request_digest, row.first_state)
                .run();
        }
        for (const auto& entry : changes.executions) write(entry);
        for (const auto& copy : changes.input_copies) {
            const auto& [from, to, ref, edge_id] = copy;
            Query(keep_input_, edge_id, ref, from.partition, from.uuid, to.partition, to.uuid).run();
            Query(adopt_input_, to.partition, to.uuid).run();
        }
        for (const auto& row : changes.attempts) {
            Query query(insert_attempt_);
            visit_attempt_columns(row, [&](const char*, const auto& field) { query.bind(field); });
            query.run();
        }
        for (SideTable& table : side_) table.save(changes.side);
        if (changes.side.of<LaneRow>().changed()) Query(advance_lane_revision_).run();
        if (changes.side.of<SettingRow>().changed()) Query(advance_setting_revision_).run();
        for (const LaneCountsRow& lane : count_changes(changes)) {
            Query query(add_counts_, lane.lane_id);
            visit_counts([&](std::string_view, const std::int64_t& count) { query.bind(count); }, lane.counts);
            query.run();
        }
        for (const auto event_id : changes.dispatched) Query(mark_dispatched_, changes.now_ms, event_id).run();
        return write_events(changes.events);
    }

    // The ends of flow members among them.
    std::vector<Undispatched> write_events(const EventLists& events) {
        std::vector<Undispatched> ends_of_members;
        events.each([&]<class E>(const EventList<E>& list) {
            Statement& insert = insert_events_[index_of(outbox_of<E>.channel)];
            for (const E& event : list) {
                insert_event(insert, event);
                if constexpr (std::same_as<E, CompletionEvent>) {
                    if (!event.flow_id) continue;
                    ends_of_members.push_back(undispatched_end(event));
                    ends_of_members.back().event_id = sqlite3_last_insert_rowid(database_.get());
                }
            }
        });
        return ends_of_members;
    }

    template <class E>
    static void insert_event(Statement& statement, const E& event) {
        Query query(statement);
        visit_event_columns(event, [&](const char*, const auto& field) { query.bind(field); });
        query.run();
    }

    void write(const ExecutionEntry& entry) {
        const auto& id = entry.row.id;
        switch (entry.change) {
            case RowChange::none:
                break;
            case RowChange::insert:
                write_columns(insert_execution_, entry.row, ColumnUse::fixed);
                if (entry.input && !entry.input->empty()) {
                    Query(insert_input_, id.partition, id.uuid, BinaryView{*entry.input}).run();
                }
                break;
            case RowChange::update:
                update(entry);
                break;
            case RowChange::erase:
                erase(entry.row);
                return;
        }
        if (entry.clear_result) Query(clear_result_, id.partition, id.uuid).run();
        if (entry.result) Query(save_result_, id.partition, id.uuid, BinaryView{*entry.result}).run();
    }

    void update(const ExecutionEntry& entry) {
        const ExecutionColumnSet changed = columns_to_write(entry);
        if ((changed & columns_with_use(ColumnUse::cold)).any()) {
            write_columns(update_wide_, entry.row, ColumnUse::cold);
        } else if (changed.any()) {
            write_columns(update_hot_, entry.row, ColumnUse::hot);
        }
    }

    void erase(const ExecutionRow& row) {
        const auto& id = row.id;
        if (row.flow_id) Query(delete_inputs_, id.partition, id.uuid).run();
        for (SideTable& table : side_) table.erase_owned(id);
        for (Statement& statement : delete_execution_) Query(statement, id.partition, id.uuid).run();
    }

    void write_columns(Statement& statement, const ExecutionRow& row, ColumnUse rarest) {
        Query query(statement);
        visit_execution_columns(row, [&](const char*, const auto& field, ColumnUse use) {
            if (use >= rarest) query.bind(field);
        });
        if (rarest != ColumnUse::fixed) {
            query.bind(row.id.partition);
            query.bind(row.id.uuid);
        }
        if (query.run() != 1) throw Fault({StoreFault::data, "no execution " + row.id.to_string() + " to update", {}});
    }

    void commit(std::int64_t now_ms) {
        if (batch_no_ == 0) Query(forget_markers_, now_ms - marker_lifetime_ms).run();
        Query(advance_clock_, now_ms).run();
        Query(save_marker_, writer_id_, ++batch_no_, now_ms).run();

        instance_->own_commits.fetch_add(1);
        try {
            Query(commit_).run();
        } catch (const Fault& fault) {
            instance_->own_commits.fetch_sub(1);
            if (fault.error().fault != StoreFault::connection) throw;
            throw Fault({StoreFault::unknown_outcome, fault.error().detail, {writer_id_, batch_no_}});
        }
        // A failure is maintain()'s to report: the batch is committed.
        if (checkpointer_.due()) static_cast<void>(checkpointer_.run());
    }

    Statement prepare(const std::string& sql) const { return database_.prepare(sql); }
    std::vector<Statement> prepare_insert_events() const {
        std::vector<Statement> prepared;
        prepared.reserve(channels.size());
        for (const Channel channel : channels) prepared.push_back(prepare(statements::insert_event(channel)));
        return prepared;
    }
    std::vector<Statement> prepare_all(const std::vector<std::string>& texts) const {
        std::vector<Statement> statements;
        statements.reserve(texts.size());
        for (const auto& text : texts) statements.push_back(prepare(text));
        return statements;
    }

    std::shared_ptr<Instance> instance_;
    WriterLock lock_;
    Database database_;
    Checkpointer checkpointer_;
    Uuid writer_id_;
    std::int64_t batch_no_ = 0;

    std::vector<SideTable> side_ = prepare_side_tables(database_);
    Statement lane_classes_ = prepare(statements::lane_classes());
    Statement closed_lanes_ = prepare(statements::closed_lanes());
    Statement read_revisions_ = prepare(statements::read_revisions());
    Statement advance_lane_revision_ = prepare(statements::advance_lane_revision());
    Statement advance_setting_revision_ = prepare(statements::advance_setting_revision());
    Statement insert_lane_ = prepare(statements::insert_lane());
    Statement insert_class_ = prepare(statements::insert_class());
    Statement read_clock_ = prepare(statements::read_clock());
    Statement advance_clock_ = prepare(statements::advance_clock());
    Statement find_marker_ = prepare(statements::find_marker());
    Statement save_marker_ = prepare(statements::save_marker());
    Statement forget_markers_ = prepare(statements::forget_markers());
    Statement sweep_keys_ = prepare(statements::sweep_keys());
    Statement sweep_signal_keys_ = prepare(statements::sweep_signal_keys());
    Statement sweep_claim_requests_ = prepare(statements::sweep_claim_requests());
    Statement sweep_usage_keys_ = prepare(statements::sweep_usage_keys());
    Statement sweep_worker_events_ = prepare(statements::sweep_worker_events());
    Statement commit_ = prepare(statements::commit());
    Statement find_idempotency_key_ = prepare(statements::find_idempotency_key());
    Statement save_idempotency_key_ = prepare(statements::save_idempotency_key());
    Statement find_execution_ = prepare(statements::find_execution());
    ClaimSelector claims_{database_, *instance_->damage};
    Statement insert_execution_ = prepare(statements::insert_execution());
    Statement update_hot_ = prepare(statements::update_execution_hot());
    Statement update_wide_ = prepare(statements::update_execution_wide());
    Statement insert_input_ = prepare(statements::insert_input());
    Statement find_input_ = prepare(statements::find_input());
    Statement signals_of_run_ = prepare(statements::signals_of_run());
    Statement signal_payload_ = prepare(statements::signal_payload());
    Statement save_result_ = prepare(statements::save_result());
    Statement clear_result_ = prepare(statements::clear_result());
    std::vector<Statement> delete_execution_ = prepare_all(statements::delete_execution());
    Statement keep_input_ = prepare(statements::keep_input());
    Statement adopt_input_ = prepare(statements::adopt_input());
    Statement delete_inputs_ = prepare(statements::delete_inputs());
    Statement pending_children_ = prepare(statements::pending_children());
    Statement members_ = prepare(statements::members());
    Statement insert_attempt_ = prepare(statements::insert_attempt());
    std::vector<Statement> insert_events_ = prepare_insert_events();  // by Channel
    Statement slowest_consumer_ = prepare(statements::slowest_consumer());
    Statement trim_points_ = prepare(statements::trim_points());
    Statement watermark_ = prepare(statements::watermark());
    Statement set_trim_point_ = prepare(statements::set_trim_point());
    Statement first_undispatched_ = prepare(statements::first_undispatched());
    Statement is_undispatched_ = prepare(statements::is_undispatched());
    Statement mark_dispatched_ = prepare(statements::mark_dispatched());
    Statement add_counts_ = prepare(statements::add_counts());
    Statement clear_lease_checks_ = prepare(statements::clear_lease_checks());

    std::optional<Transaction> transaction_;  // from load to save or abandon
};

}  // namespace

std::unique_ptr<StoreWriter> open_writer(std::shared_ptr<Instance> instance) {
    require_usable_location(instance->path);
    return std::make_unique<SqliteWriter>(std::move(instance));
}

}  // namespace flowfabric::sqlite
