#include <algorithm>
#include <utility>

#include "core/flow/flow_summary.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Between two looks at what another engine does, each twice as long as the one before.
constexpr milliseconds first_pause{2};
constexpr milliseconds longest_pause{250};

milliseconds until_then(milliseconds pause, Clock::time_point then) {
    return std::clamp(std::chrono::ceil<milliseconds>(then - Clock::now()), milliseconds(0), pause);
}

EngineError still_cancelling(std::uint64_t waited_ms) {
    return {.kind = ErrorKind::timeout,
            .detail = "cancel_flow: members are still being cancelled after " + std::to_string(waited_ms) + " ms"};
}

struct CountedFlow {
    FlowTally flow;
    std::int64_t counted_at_ms = 0;
};

StoreResult<std::optional<CountedFlow>> count_members(StoreReader& reader, const FlowKey& key) {
    const auto now = reader.now();
    if (!now) return now.error();
    auto found = reader.tallies({key});
    if (!found) return found.error();
    if (found->empty() || found->front().members.counts.total() == 0) return std::optional<CountedFlow>{};
    return std::optional(CountedFlow{std::move(found->front()), *now});
}

}  // namespace

auto Engine::Impl::behind_looks(const Commands& command, Reply reply, GiveOn where) -> Reply {
    if (const auto* cancel = std::get_if<CancelFlow>(&command); cancel != nullptr && cancel->max_wait_ms > 0) {
        return behind_members(*cancel, std::move(reply), where);
    }
    if (const auto* project = std::get_if<ProjectFlowSummary>(&command)) {
        return behind_count(key_of(project->flow_id), std::move(reply), where);
    }
    return reply;
}

auto Engine::Impl::behind_members(const CancelFlow& cancel, Reply reply, GiveOn where) -> Reply {
    const FlowKey key = key_of(cancel.flow_id);
    const std::uint64_t wait_ms = cancel.max_wait_ms;
    const auto until = Clock::now() + milliseconds(std::min(wait_ms, max_ttl_ms));
    return [=, this, reply = std::move(reply)](Result<std::any> answer) {
        if (!answer || !std::any_cast<const FlowCancelled&>(*answer).members_pending) return reply(std::move(answer));
        looks_->add([=, this, pause = first_pause, cancelled = std::any_cast<FlowCancelled>(*std::move(answer))](
                        const EngineError* end) mutable -> std::optional<milliseconds> {
            if (end != nullptr) return give(reply, *end, where);
            // This engine wakes the look when it has dealt with the members.
            if (dispatch_->cancels(key) && Clock::now() < until) return until_then(longest_pause, until);
            const auto backlog = readers_->run([&](StoreReader& reader) { return reader.row<CancelBacklogRow>(key); });
            if (!backlog) return give(reply, backlog.error(), where);
            if (!backlog->has_value()) {
                cancelled.members_pending = false;
                return give(reply, std::any(cancelled), where);
            }
            if (Clock::now() >= until) return give(reply, still_cancelling(wait_ms), where);
            return until_then(std::exchange(pause, std::min(2 * pause, longest_pause)), until);
        });
    };
}

auto Engine::Impl::behind_count(const FlowKey& key, Reply reply, GiveOn where) -> Reply {
    return [=, this, reply = std::move(reply)](Result<std::any> answer) {
        if (!answer || !std::any_cast<const FlowSummaryProjected&>(*answer).projected) return reply(std::move(answer));
        looks_->add([=, this](const EngineError* end) -> std::optional<milliseconds> {
            if (end != nullptr) return give(reply, *end, where);
            auto count = readers_->run([&](StoreReader& reader) { return count_members(reader, key); });
            if (!count) return give(reply, count.error(), where);
            if (!*count) return give(reply, std::any(FlowSummaryProjected{.projected = false}), where);
            hub_.submit(
                store_flow_summary(std::move((*count)->flow), (*count)->counted_at_ms),
                options_.command_deadline.count(),
                [reply](const Result<Answer>& stored) {
                    if (stored) {
                        reply(std::any(FlowSummaryProjected{.projected = true}));
                    } else {
                        reply(stored.error());
                    }
                },
                where);
            return std::nullopt;
        });
    };
}

void Engine::Impl::follow_stream(const TailStream& tail, Reply reply, GiveOn where) {
    streams_->add(tail, [=, this, reply = std::move(reply)](Result<StreamPage> page) {
        if (page) {
            give(reply, std::any(*std::move(page)), where);
        } else {
            give(reply, std::move(page).error(), where);
        }
    });
}

std::nullopt_t Engine::Impl::give(Reply reply, Result<std::any> answer, GiveOn where) {
    hub_.answer_without_batch([reply = std::move(reply), answer = std::move(answer)] { reply(answer); }, where);
    return std::nullopt;
}

}  // namespace flowfabric
