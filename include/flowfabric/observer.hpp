#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/flow_state.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/statistics.hpp"
#include "flowfabric/stream.hpp"

// What an engine tells of its work, for metrics. All of it is what was committed, not what was asked for.
namespace flowfabric {

enum class AttemptEnd : std::uint8_t {
    ok,
    error,  // a failure that ends the execution
    retry,  // a failure that another attempt follows
    timeout,
    cancelled,
    lost,  // its worker fell silent, and another took over
};

template <>
inline constexpr std::array enum_names<AttemptEnd> =
    std::to_array<std::string_view>({"ok", "error", "retry", "timeout", "cancelled", "lost"});

struct ObservedLane {
    std::string lane_id;
    LaneTotals totals;                              // by how much they grew
    std::map<AttemptEnd, std::uint64_t> attempts;   // that ended
    std::vector<std::chrono::milliseconds> waited;  // of each lease: since its execution could be claimed
    std::vector<std::chrono::milliseconds> lived;   // of each end: since the execution was created
};

// An attempt that ended, of an execution that belongs to a trace.
struct ObservedAttempt {
    ExecutionId execution_id;
    AttemptId attempt_id;
    std::int32_t attempt_index = 0;
    std::string execution_kind;
    std::string lane_id;
    std::string worker_id;
    std::string traceparent;
    std::optional<std::string> tracestate;
    std::int64_t started_at_ms = 0;
    std::int64_t ended_at_ms = 0;
    AttemptEnd end = AttemptEnd::ok;
    std::optional<std::string> failure_category;
};

// One batch of commands, answered together.
struct ObservedBatch {
    bool committed = false;  // otherwise it has changed nothing
    std::chrono::milliseconds took{};
    std::uint64_t renewed = 0;  // leases
    std::uint64_t not_renewed = 0;
    std::map<std::string, std::uint64_t> budget_hits;  // reports that a hard limit refused, by dimension
    std::vector<ObservedLane> lanes;
    std::vector<ObservedAttempt> attempts;                 // of traces, if the observer wants them
    std::map<GroupKind, std::uint64_t> groups;             // edge groups that came to be, by their policy
    std::map<std::string, std::uint64_t> sibling_cancels;  // upstream executions to be cancelled, by the reason
    std::map<std::string, std::uint64_t> siblings;         // those executions, by what became of them
    std::map<std::string, std::uint64_t> sibling_drains;   // the notes of groups about them, likewise
    std::map<FrameMode, std::uint64_t> frames;             // appended to streams
};

// Whatever it does holds up the thread that tells it. Calls come from several threads.
class EngineObserver {
  public:
    virtual ~EngineObserver() = default;

    // Whether batches name the attempts of traces that they end; they only count them otherwise.
    virtual bool wants_attempts() const { return false; }
    virtual void on_batch(const ObservedBatch& batch) = 0;
    // A transaction failed by contention and runs again.
    virtual void on_contention() = 0;
    virtual void on_reconciler(std::string_view name, std::chrono::microseconds took, bool succeeded) = 0;
};

}  // namespace flowfabric
