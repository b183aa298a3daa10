#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/execution/retry.hpp"
#include "core/flow/flow_summary.hpp"
#include "core/statistics/lane_counts.hpp"
#include "store/memory/backend.hpp"
#include "store/memory/stored_tables.hpp"

namespace flowfabric::memory {

struct StoredExecution {
    ExecutionRow row;
    Bytes input;
    std::optional<Bytes> result;
};

struct FlowInput {
    std::string ref;
    Bytes payload;
};

template <class E>
struct EventLog {
    std::vector<E> events;  // by id
    std::int64_t last_id = 0;

    void append(const std::vector<E>& added) {
        for (const E& event : added) {
            events.push_back(event);
            events.back().event_id = ++last_id;
        }
    }
};

// The one database; `mutex` guards all of it.
struct Database {
    Options options;

    std::mutex mutex;
    std::condition_variable released;  // a writer has let go of its locks
    std::map<ExecutionId, StoredExecution> executions;
    std::map<std::pair<ExecutionId, std::int32_t>, AttemptRow> attempts;
    std::map<ExecutionId, std::map<EdgeId, FlowInput>> flow_inputs;
    std::map<IdempotencyKey, IdempotencyRow> idempotency;
    std::vector<ClaimClass> classes;
    std::map<std::string, LaneCounts> lane_counts;
    std::int64_t lane_revision = 0;
    std::int64_t setting_revision = 0;
    ForEvents<EventLog> logs;
    ChannelPoints trimmed{};
    StoredTables side;
    std::array<std::optional<Uuid>, channels.size()> outbox_holders;  // who trims it or works on its consumers
    std::map<ExecutionId, Uuid> locked;                               // row → writer
    std::map<IdempotencyKey, Uuid> locked_keys;
    std::map<std::int64_t, Uuid> locked_ends;
    std::map<Uuid, std::int64_t> writers;  // writer → last committed batch
    std::uint64_t writers_opened = 0;

    std::int64_t now() const {
        if (options.clock) return options.clock->now_ms();
        using namespace std::chrono;
        return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    }
    Routes routes() const {
        Routes all{.classes = classes,
                   .lane_states = {},
                   .lane_revision = lane_revision,
                   .unreadable_lanes = {},
                   .settings = {},
                   .setting_revision = setting_revision};
        std::vector<SettingRow> settings;
        for (const auto& [key, row] : side.of<SettingRow>().rows) settings.push_back(row);
        all.settings = settings_of(settings);
        for (const auto& [key, lane] : side.of<LaneRow>().rows) {
            if (lane.lane_state != LaneState::active) all.lane_states.emplace(key.lane_id, lane.lane_state);
        }
        return all;
    }
    template <class Use>
    auto with_log(Channel channel, Use use) {
        return with_event_type(channel, [&]<class E>() { return use(logs.of<E>()); });
    }
    std::vector<FlowMember> members(const FlowKey& flow) const {
        std::vector<FlowMember> found;
        for (auto at = executions.lower_bound({flow.partition, {}});
             at != executions.end() && at->first.partition == flow.partition; ++at) {
            const ExecutionRow& row = at->second.row;
            if (row.flow_id == flow.flow_id) found.push_back({row.id, row.vector.lifecycle_phase});
        }
        return found;
    }
    MemberTally tally(const FlowKey& flow) const {
        MemberTally tally;
        for (const FlowMember& member : members(flow)) {
            const ExecutionRow& row = executions.at(member.id).row;
            tally.add(1, row.vector.public_state, row.vector.terminal_outcome, row.cancellation_cause);
            if (!row.terminal_at_ms) continue;
            if (!row.own_retention_ms) {
                tally.last_end_ms = std::max(tally.last_end_ms.value_or(0), *row.terminal_at_ms);
            } else if (*row.own_retention_ms > 0) {
                const auto until = saturating_add(*row.terminal_at_ms, *row.own_retention_ms);
                tally.kept_until_ms = std::max(tally.kept_until_ms.value_or(0), until);
            } else {
                tally.kept_for_ever = true;
            }
        }
        return tally;
    }
    Fault fault_at(FaultPoint point) const { return options.faults ? options.faults(point) : Fault::none; }
};

std::unique_ptr<StoreWriter> make_writer(std::shared_ptr<Database> database);
std::unique_ptr<StoreReader> make_reader(std::shared_ptr<Database> database);

}  // namespace flowfabric::memory
