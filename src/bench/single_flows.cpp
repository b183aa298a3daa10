#include "bench/single_flows.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "bench/flow_shapes.hpp"

namespace flowfabric::bench {
namespace {

using Clock = BenchClock;

constexpr std::chrono::milliseconds claim_patience{20'000};
constexpr std::chrono::milliseconds settling{100};

EngineError nothing_claimed(std::string_view what) {
    return broken(fmt::format("{} could not be claimed for {} ms", what, claim_patience.count()));
}

// A claim may overtake the answer to the completion that made it possible.
Clock::duration between(Clock::time_point from, Clock::time_point to) {
    return std::max(to - from, Clock::duration{});
}

}  // namespace

template <CommandType C>
SingleFlows::Pending<C> SingleFlows::submit(C command) {
    auto promise = std::make_shared<std::promise<Answered<typename C::Answer>>>();
    auto pending = promise->get_future();
    engine_.submit<C>(std::move(command), [promise](Result<typename C::Answer> answer) {
        promise->set_value({std::move(answer), Clock::now()});
    });
    return pending;
}

SingleFlows::Pending<Claim> SingleFlows::claim(std::uint32_t count) {
    Claim command;
    command.lanes = {lane_};
    command.worker_id = "ff-bench";
    command.worker_instance_id = "ff-bench-flow";
    command.max_count = count;
    command.max_wait_ms = static_cast<std::uint64_t>(claim_patience.count());
    return submit(std::move(command));
}

// When the last one was answered.
Result<Clock::time_point> SingleFlows::complete(const std::vector<ClaimedExecution>& executions) {
    std::vector<Pending<Complete>> pending;
    pending.reserve(executions.size());
    for (const auto& execution : executions) {
        Complete command;
        command.lease = execution.handle;
        pending.push_back(submit(std::move(command)));
    }
    auto last = Clock::time_point::min();
    for (auto& completion : pending) {
        auto completed = completion.get();
        if (!completed.answer) return completed.answer.error();
        last = std::max(last, completed.at);
    }
    return last;
}

Result<Clock::time_point> SingleFlows::wait_until_completed(const FlowSubmitted& flow) {
    for (const auto deadline = Clock::now() + claim_patience;;) {
        const auto status = stored_status(engine_, flow.members.front().partition, flow.flow_id);
        if (!status) return status.error();
        if (*status == FlowStatus::completed) return Clock::now();
        if (Clock::now() >= deadline) {
            return broken(fmt::format("the members of flow {} are completed, the flow itself is {}",
                                      flow.flow_id.to_string(), to_string(*status)));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

Result<std::vector<SingleFlows::Duration>> SingleFlows::run_chain(std::uint32_t length) {
    auto next = claim(1);
    const auto flow = engine_.submit_flow(chain_flow(lane_, 0, length));
    if (!flow) return flow.error();
    std::vector<Duration> hops;
    auto completed_at = Clock::time_point::min();
    for (std::uint32_t member = 0; member < length; ++member) {
        const auto claimed = next.get();
        if (!claimed.answer) return claimed.answer.error();
        if (claimed.answer->executions.empty()) return nothing_claimed(fmt::format("member {} of a chain", member));
        if (member > 0) hops.push_back(between(completed_at, claimed.at));
        // A worker waits already when this one is done.
        if (member + 1 < length) next = claim(1);
        const auto completed = complete(claimed.answer->executions);
        if (!completed) return completed.error();
        completed_at = *completed;
    }
    if (auto ended = wait_until_completed(*flow); !ended) return ended.error();
    return hops;
}

Result<SingleFlows::Fan> SingleFlows::run_fan(std::uint32_t width) {
    auto next = claim(1);
    const auto submitted_at = Clock::now();
    const auto flow = engine_.submit_flow(fan_flow(lane_, width));
    if (!flow) return flow.error();
    const auto source = next.get();
    if (!source.answer) return source.answer.error();
    if (source.answer->executions.empty()) return nothing_claimed("the source of a fan");

    next = claim(max_claim_count);
    const auto opened_at = complete(source.answer->executions);
    if (!opened_at) return opened_at.error();
    std::vector<ClaimedExecution> members;
    auto claimed_at = Clock::time_point::min();
    while (members.size() < width) {
        auto claimed = next.get();
        if (!claimed.answer) return claimed.answer.error();
        if (claimed.answer->executions.empty()) return nothing_claimed("the rest of a fan");
        std::ranges::move(claimed.answer->executions, std::back_inserter(members));
        claimed_at = claimed.at;
        next = claim(max_claim_count);
    }

    const auto closed_at = complete(members);
    if (!closed_at) return closed_at.error();
    const auto sink = next.get();
    if (!sink.answer) return sink.answer.error();
    if (sink.answer->executions.empty()) return nothing_claimed("the sink of a fan");
    if (auto completed = complete(sink.answer->executions); !completed) return completed.error();
    const auto ended_at = wait_until_completed(*flow);
    if (!ended_at) return ended_at.error();
    return Fan{.out = between(*opened_at, claimed_at),
               .in = between(*closed_at, sink.at),
               .flow = between(submitted_at, *ended_at)};
}

Result<SingleFlows::Duration> SingleFlows::cancel_fan(std::uint32_t members) {
    auto source = claim(1);
    const auto flow = engine_.submit_flow(fan_flow(lane_, members - 2));
    if (!flow) return flow.error();
    const auto running = source.get();
    if (!running.answer) return running.answer.error();
    if (running.answer->executions.empty()) return nothing_claimed("the source of a fan");

    CancelFlow command;
    command.flow_id = flow->flow_id;
    command.policy = CancellationPolicy::cancel_all;
    command.reason = "measured";
    command.requester = "ff-bench";
    command.max_wait_ms = std::chrono::milliseconds(claim_patience).count();
    // The cancel begins once the flow before this one and the submission of this one are settled.
    std::this_thread::sleep_for(settling);
    const auto began_at = Clock::now();
    const auto cancelled = engine_.cancel_flow(std::move(command));
    const auto ended_at = Clock::now();
    if (!cancelled) return cancelled.error();
    if (auto checked = check_cancelled(*flow); !checked) return checked.error();
    return ended_at - began_at;
}

Result<void> SingleFlows::check_cancelled(const FlowSubmitted& flow) {
    const auto status = stored_status(engine_, flow.members.front().partition, flow.flow_id);
    if (!status) return status.error();
    if (*status != FlowStatus::cancelled) {
        return broken(fmt::format("flow {} is {}", flow.flow_id.to_string(), to_string(*status)));
    }
    for (const auto& id : flow.members) {
        const auto state = engine_.read_execution_state(id);
        if (!state) return state.error();
        if (*state != PublicState::cancelled) {
            return broken(fmt::format("member {} of a cancelled flow is {}", id.to_string(),
                                      *state ? to_string(**state) : "not there"));
        }
    }
    return {};
}

}  // namespace flowfabric::bench
