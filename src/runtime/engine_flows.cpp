#include <algorithm>
#include <thread>

#include "core/flow/flow_summary.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {
namespace {

// Between two looks at what another engine does, each twice as long as the one before.
constexpr std::chrono::milliseconds first_pause{2};
constexpr std::chrono::milliseconds longest_pause{250};

StoreResult<std::optional<FlowTally>> read_tally(StoreReader& reader, const FlowKey& key) {
    auto found = reader.tallies({key});
    if (!found) return found.error();
    return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

}  // namespace

Result<bool> Engine::project_flow_summary(const FlowId& id) {
    auto now = impl_->readers().run([](StoreReader& reader) { return reader.now(); });
    if (!now) return now.error();
    auto tally = impl_->readers().run([&](StoreReader& reader) { return read_tally(reader, key_of(id)); });
    if (!tally) return tally.error();
    if (!*tally || (*tally)->members.counts.total() == 0) return false;
    auto projected = impl_->run(flowfabric::project_flow_summary(std::move(**tally), *now));
    if (!projected) return projected.error();
    return true;
}

Result<FlowCancelled> Engine::cancel_flow(CancelFlow command, std::chrono::milliseconds wait) {
    const FlowKey key = key_of(command.flow_id);
    const auto deadline = std::chrono::steady_clock::now() + wait;
    auto cancelled = call(std::move(command));
    if (!cancelled || !cancelled->members_pending || wait.count() == 0) return cancelled;
    for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
        impl_->dispatch().wait_while_cancelling(key, deadline);
        const auto backlog =
            impl_->readers().run([&](StoreReader& reader) { return reader.row<CancelBacklogRow>(key); });
        if (!backlog) return backlog.error();
        cancelled->members_pending = backlog->has_value();
        if (!cancelled->members_pending) return cancelled;
        const auto now = std::chrono::steady_clock::now();
        if (now >= deadline) {
            return EngineError{.kind = ErrorKind::timeout,
                               .detail = "cancel_flow: members are still being cancelled after " +
                                         std::to_string(wait.count()) + " ms"};
        }
        std::this_thread::sleep_until(std::min(now + pause, deadline));
    }
}

}  // namespace flowfabric
