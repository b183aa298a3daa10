#include "store/postgres/writer.hpp"

#include <tuple>
#include <utility>

#include "store/postgres/load.hpp"
#include "store/postgres/save.hpp"
#include "store/postgres/sql/row_mapping.hpp"
#include "store/postgres/sql/statements.hpp"

namespace flowfabric::postgres {
namespace {

Params class_params(const std::vector<ClassSpec>& specs) {
    Params params;
    params.add_array(specs, [](const ClassSpec& spec) { return spec.lane_id; });
    params.add_array(specs, [](const ClassSpec& spec) { return spec.required_capabilities; });
    return params;
}

}  // namespace

Writer::Writer(Options options)
    : options_(std::move(options)), connection_(options_.url, session_statements().writer, options_.interrupts) {
    marker_.writer_id = connection_.run(upkeep_statements().register_writer).get<Uuid>(0, 0);
    options_.own_processes->add(connection_.process_id());
}

Writer::~Writer() {
    options_.own_processes->remove(connection_.process_id());
    abandon();
    // A row that stays behind is swept.
    std::ignore = guarded([&] { connection_.run(upkeep_statements().forget_writer, Params::of(marker_.writer_id)); });
}

template <class Body>
auto Writer::attempt(Body&& body) {
    auto result = guarded_on(connection_, std::forward<Body>(body));
    if (!result) abandon();
    return result;
}

void Writer::abandon() {
    if (connection_.broken()) return;
    // A session that cannot roll back is broken, which the next call reports.
    std::ignore = guarded([&] {
        if (connection_.in_transaction()) connection_.run(save_statements().rollback);
    });
}

std::optional<std::int64_t> Writer::test_time() const {
    return options_.clock ? std::optional(options_.clock->now_ms()) : std::nullopt;
}

StoreResult<Routes> Writer::ensure_classes(const RoutesWanted& wanted) {
    return attempt([&] {
        if (!wanted.missing.empty()) {
            Params lanes;
            lanes.add_array(wanted.missing, [](const ClassSpec& spec) { return spec.lane_id; });
            lanes.add(test_time());
            connection_.send(upkeep_statements().insert_lanes, lanes);
            connection_.send(upkeep_statements().insert_classes, class_params(wanted.missing));
            connection_.end_section();
            connection_.receive();
        }
        Params params;
        params.add_array(wanted.lanes, [](const std::string& lane_id) { return lane_id; });
        params.add(wanted.known_revision);
        return read_routes(connection_, read_statements().routes_of_lanes, params, *options_.damage);
    });
}

StoreResult<Loaded> Writer::load(const LoadRequest& request) {
    return attempt([&] {
        auto loaded = Load(connection_, request, test_time(), *options_.damage).run();
        if (options_.clock) loaded.now_ms = options_.clock->now_ms();
        return loaded;
    });
}

StoreResult<std::vector<Undispatched>> Writer::save(const WorkingSet& changes) {
    const bool nothing_to_lose = changes.empty() || connection_.broken();
    if (nothing_to_lose) {
        return attempt([&] {
            connection_.run(save_statements().commit);
            return std::vector<Undispatched>{};
        });
    }

    ++marker_.batch_no;
    std::vector<Announcement> notified;
    auto saved = attempt([&] {
        const auto ends_at = send_changes(connection_, forms_, changes, updates_, marker_);
        request_notifications(changes);
        notified = send_notifications();
        connection_.end_section();
        const auto results = connection_.receive();
        return ends_at ? read_ends_of_members(results[*ends_at], changes) : std::vector<Undispatched>{};
    });
    if (!saved) notifier_.put_back(notified);
    // COMMIT was on its way when the connection went.
    if (!saved && connection_.broken()) {
        saved.error().fault = StoreFault::unknown_outcome;
        saved.error().marker = marker_;
    }
    return saved;
}

StoreResult<bool> Writer::outcome(const Marker& marker) {
    return attempt([&] {
        const Rows row = connection_.run(upkeep_statements().retire_writer, Params::of(marker.writer_id));
        return !row.empty() && row.get<std::int64_t>(0, 0) >= marker.batch_no;
    });
}

StoreResult<std::uint32_t> Writer::retire_lease_checks(std::uint32_t limit) {
    return attempt([&] {
        Params params;
        params.add(test_time());
        params.add(std::int64_t{limit});
        return static_cast<std::uint32_t>(connection_.run(upkeep_statements().retire_lease_checks, params).affected());
    });
}

StoreResult<std::uint32_t> Writer::sweep(std::uint32_t limit, std::int64_t age_ms) {
    return attempt([&] {
        Params lapsed;
        lapsed.add(test_time());
        lapsed.add(std::int64_t{limit});
        Params old = lapsed;
        old.add(age_ms);
        const auto& sql = upkeep_statements();
        auto removed = connection_.run(sql.sweep_worker_events, old).affected();
        for (const Statement* keys :
             {&sql.sweep_keys, &sql.sweep_signal_keys, &sql.sweep_claim_requests, &sql.sweep_usage_keys}) {
            removed += connection_.run(*keys, lapsed).affected();
        }
        return static_cast<std::uint32_t>(removed);
    });
}

StoreResult<OutboxState> Writer::open_outbox(Channel channel) {
    constexpr std::int64_t at_once = 5000;
    return attempt([&] {
        const auto& sql = upkeep_statements();
        const std::string_view table = outbox_of_channel(channel).table;
        const bool completions = channel == Channel::completion;
        connection_.send(load_statements().begin);
        connection_.send(sql.lock_outbox, Params::of(channel));
        connection_.send(sql.slowest_consumer, Params::of(channel));
        if (completions) connection_.send(sql.first_undispatched);
        connection_.send(sql.oldest_events, Params::of(table, at_once));
        connection_.send(load_statements().clock);
        connection_.end_section();
        const auto results = connection_.receive();

        OutboxState state{.now_ms = test_time().value_or(results.back().get<std::int64_t>(0, 0)),
                          .trimmed = results[1].get<std::int64_t>(0, 0),
                          .slowest_consumer = results[2].get<std::optional<std::int64_t>>(0, 0),
                          .first_undispatched = std::nullopt,
                          .oldest = {}};
        if (completions) state.first_undispatched = results[3].get<std::optional<std::int64_t>>(0, 0);
        state.oldest = read_all(results[results.size() - 2], [](const Rows& rows, std::size_t row) {
            const bool whole = rows.get<bool>(row, 2);
            return EventRun{.last_id = rows.get<std::int64_t>(row, 0),
                            .newest_at_ms = rows.get<std::optional<std::int64_t>>(row, 1),
                            .divisible = !whole,
                            .costly = !whole};
        });
        return state;
    });
}

StoreResult<void> Writer::trim_outbox(Channel channel, const Trim& trim) {
    return attempt([&] {
        const auto& sql = upkeep_statements();
        const std::string_view table = outbox_of_channel(channel).table;
        connection_.send(sql.trim_outbox, Params::of(table, trim.through, trim.newest_at_ms));
        connection_.send(sql.set_trim_point, Params::of(channel, trim.through));
        connection_.send(save_statements().commit);
        connection_.end_section();
        connection_.receive();
    });
}

StoreResult<void> Writer::maintain() {
    return attempt([&] {
        connection_.run(upkeep_statements().extend_outboxes);
        connection_.run(upkeep_statements().sweep_writers);
        connection_.run(upkeep_statements().fold_counts);
    });
}

void Writer::request_notifications(const WorkingSet& changes) {
    if (!options_.notify) return;
    if (changes.work_available) notifier_.request(Notifier::work);
    changes.side.of<StreamMetaRow>().each_put(
        [&](const StreamMetaRow& meta, bool) { notifier_.request(Notifier::streams, name_of(meta.key)); });
    changes.events.each([&]<class E>(const EventList<E>& events) {
        const Outbox& outbox = outbox_of<E>;
        if (!events.empty() && !outbox.told_by_trigger) notifier_.request(outbox.notification);
    });
}

// Behind whatever the section holds, and lost with it.
std::vector<Announcement> Writer::send_notifications() {
    auto announcements = notifier_.take(Notifier::Clock::now());
    if (announcements.empty()) return announcements;
    Params params;
    params.add_array(announcements, [](const Announcement& announced) { return announced.channel; });
    params.add_array(announcements, [](const Announcement& announced) { return std::string_view(announced.payload); });
    connection_.stop_attending();
    connection_.send(save_statements().notify, params);
    return announcements;
}

std::optional<std::chrono::milliseconds> Writer::notifications_due() {
    return notifier_.due(Notifier::Clock::now());
}

void Writer::flush_notifications() {
    // A broken connection is reported by the next batch.
    std::ignore = guarded([&] {
        if (send_notifications().empty()) return;
        connection_.end_section();
        connection_.flush();
    });
}

}  // namespace flowfabric::postgres
