#include "engine/reconcilers/reconciler.hpp"

#include <algorithm>

#include "core/events/consumer.hpp"
#include "core/execution/retention.hpp"

namespace flowfabric {
namespace {

// Engines that care for different executions get on at their own pace.
ConsumerKey consumer_for(const ExecutionFilter& filter) {
    std::string name = "ff.retention";
    if (filter.namespace_name) name += "/namespace=" + *filter.namespace_name;
    if (filter.tag) name += "/" + filter.tag->first + "=" + filter.tag->second;
    return {Channel::completion, std::move(name)};
}

StoreResult<std::optional<std::int64_t>> position_of(StoreReader& reader, const ConsumerKey& consumer) {
    const auto row = reader.row<ConsumerRow>(consumer);
    if (!row) return row.error();
    return *row ? std::optional((*row)->event_id) : std::nullopt;
}

struct Retention {
    std::int64_t kept_ms = 0;        // 0: for ever
    std::int64_t changed_at_ms = 0;  // flows that ended before have noted a time by another one
};

StoreResult<Retention> retention_of(StoreReader& reader, const SettingOverrides& overrides) {
    const auto rows = reader.all<SettingRow>();
    if (!rows) return rows.error();
    const StoreSettings settings = overridden(settings_of(*rows), overrides);
    Retention retention{.kept_ms = static_cast<std::int64_t>(settings.execution_retention_ms)};
    const auto row = std::ranges::find(*rows, SettingKey{"execution_retention"}, &SettingRow::key);
    if (row != rows->end()) retention.changed_at_ms = row->updated_at_ms;
    return retention;
}

// Executions may have ended before there was a consumer to remember them: they are all looked at once before it is
// registered. Those that are too young for now are noted by the decision.
StoreResult<Findings> walk_executions(StoreReader& reader, const LookArguments& arguments, Findings found,
                                      const ConsumerKey& consumer) {
    const auto rows = reader.list({.partition = std::nullopt,
                                   .state = std::nullopt,
                                   .after = arguments.after<ExecutionId>(),
                                   .limit = arguments.batch});
    if (!rows) return rows.error();
    for (const ExecutionRow& row : *rows) {
        found.walked_to = row.id;
        const bool ended = row.vector.lifecycle_phase == LifecyclePhase::terminal;
        if (ended) found.commands.push_back(remove_ended(row.id, arguments.filter));
    }
    found.more = true;
    if (rows->size() == arguments.batch) return found;
    const auto page = reader.tail(Channel::completion, 0, 0, 1);
    if (!page) return page.error();
    found.conclusion = register_consumer(consumer, page->trimmed);
    return found;
}

StoreResult<Findings> walk_completions(StoreReader& reader, const LookArguments& arguments, Findings found,
                                       const ConsumerKey& consumer, std::int64_t position, const Retention& retention) {
    const auto watermark = reader.watermark(Channel::completion);
    if (!watermark) return watermark.error();
    if (!watermark->decided) {
        found.next_at_ms = found.now_ms + 1000;
        return found;
    }
    const auto page = reader.tail(Channel::completion, position, *watermark->decided, arguments.batch);
    if (!page) return page.error();
    std::int64_t last = position;
    for (const Event& event : page->events) {
        const auto& completion = std::get<CompletionEvent>(event);
        const std::int64_t due_at = completion.occurred_at_ms + retention.kept_ms;
        if (due_at > found.now_ms) {
            found.next_at_ms = due_at;
            break;
        }
        last = completion.event_id;
        // A member goes with its flow, which is noted for as long as one of its members has not ended.
        if (completion.flow_id && completion.occurred_at_ms > retention.changed_at_ms) continue;
        if (!found.oldest_at_ms) found.oldest_at_ms = due_at;
        found.commands.push_back(remove_ended(completion.execution_id, arguments.filter));
    }
    found.more = !found.next_at_ms && page->events.size() == arguments.batch;
    if (last > position) found.conclusion = acknowledge_events(consumer, last);
    return found;
}

// Walks the completion outbox as a consumer of its own, so that no index over ended executions is needed and nothing is
// read twice: events that are old enough lead to executions that are.
StoreResult<Findings> look_for_old_executions(StoreReader& reader, const LookArguments& arguments) {
    const ConsumerKey consumer = consumer_for(arguments.filter);
    const auto now = reader.now();
    if (!now) return now.error();
    const auto position = position_of(reader, consumer);
    if (!position) return position.error();
    const auto retention = retention_of(reader, arguments.overrides);
    if (!retention) return retention.error();
    Findings found{.now_ms = *now};
    if (retention->kept_ms == 0) {
        // Else completion events would be kept for a reader that never reads.
        if (*position) found.conclusion = remove_consumer(consumer);
        return found;
    }
    if (!*position) return walk_executions(reader, arguments, std::move(found), consumer);
    return walk_completions(reader, arguments, std::move(found), consumer, **position, *retention);
}

}  // namespace

// Ended executions go when they are old enough.
ReconcilerSpec retention_trimmer() {
    return {.name = "retention_trimmer", .interval_ms = 60'000, .batch = 500, .look = look_for_old_executions};
}

}  // namespace flowfabric
