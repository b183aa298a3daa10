#include "bench/chains_run.hpp"

#include <memory>
#include <ranges>
#include <thread>

#include <fmt/format.h>

namespace flowfabric::bench {
namespace {

using Clock = BenchClock;

constexpr std::size_t max_submits_in_flight = 200;
constexpr std::chrono::seconds chains_patience{60};

}  // namespace

ChainsRun::ChainsRun(Engine& engine, const FlowOptions& options)
    : engine_(engine), options_(options), lane_(bench_lane()), flows_(options.flows) {
    ended_.reserve(options.flows);
    hops_.reserve(options.flows * options.length);
}

Result<ChainsRun::Times> ChainsRun::run() {
    const auto started_at = Clock::now();
    workers_ = options_.workers;
    for (std::uint32_t worker = 0; worker < options_.workers; ++worker) claim(worker);
    for (std::uint64_t i = 0; i < options_.flows && enter(); ++i) {
        engine_.submit(chain_flow(lane_, i, options_.length),
                       [this, i](Result<FlowSubmitted> answer) { on_submitted(i, std::move(answer)); });
    }
    auto failed = wait_for_members();
    auto ended_at = failed ? Result<Clock::time_point>(*failed) : wait_for_flows();
    // Their answers come to this object.
    if (auto late = wait_for_workers(); late && ended_at) ended_at = *std::move(late);
    if (!ended_at) return ended_at.error();
    return Times{.submit_seconds = seconds_between(started_at, submitted_at_),
                 .flow_seconds = seconds_between(started_at, *ended_at)};
}

// Once there is room for one more submission; false after an error.
bool ChainsRun::enter() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return submits_in_flight_ < max_submits_in_flight; });
    if (error_) return false;
    ++submits_in_flight_;
    return true;
}

// With mutex_ held.
void ChainsRun::fail(EngineError error) {
    if (!error_) error_ = std::move(error);
}

// With mutex_ held.
bool ChainsRun::done() const {
    return completed_ == options_.flows * options_.length;
}

void ChainsRun::on_submitted(std::uint64_t flow, Result<FlowSubmitted> answer) {
    const std::scoped_lock lock(mutex_);
    if (answer) {
        flows_[flow].id = answer->flow_id;
        flows_[flow].partition = answer->members.front().partition;
        submitted_at_ = Clock::now();
    } else {
        fail(std::move(answer).error());
    }
    --submits_in_flight_;
    answered_.notify_one();
}

void ChainsRun::claim(std::uint32_t worker) {
    Claim command;
    command.lanes = {lane_};
    command.worker_id = "ff-bench";
    command.worker_instance_id = fmt::format("ff-bench-{}", worker);
    command.max_count = options_.batch;
    command.max_wait_ms = 100;
    engine_.submit(std::move(command),
                   [this, worker](Result<Claimed> answer) { on_claimed(worker, std::move(answer)); });
}

void ChainsRun::on_claimed(std::uint32_t worker, Result<Claimed> answer) {
    const auto now = Clock::now();
    std::vector<std::pair<FlowPosition, Complete>> work;
    {
        const std::scoped_lock lock(mutex_);
        if (!answer) {
            fail(std::move(answer).error());
        } else {
            work.reserve(answer->executions.size());
            for (auto& execution : answer->executions) {
                const auto position = position_in(execution.input_payload);
                const Progress& flow = flows_[position.flow];
                // A claim that overtakes the answer to the completion before it has not waited.
                const bool overtaken = flow.completed < position.member;
                if (position.member > 0) hops_.push_back(overtaken ? Clock::duration{} : now - flow.completed_at);
                Complete command;
                command.lease = std::move(execution.handle);
                work.emplace_back(position, std::move(command));
            }
        }
    }
    if (work.empty()) return next_claim(worker);
    const auto open = std::make_shared<std::size_t>(work.size());
    for (auto& [position, command] : work) {
        engine_.submit(std::move(command), [this, worker, open, at = position](Result<Completed> completed) {
            if (on_completed(at, *open, std::move(completed))) next_claim(worker);
        });
    }
}

// Whether this was the last answer of its claim.
bool ChainsRun::on_completed(const FlowPosition& position, std::size_t& open, Result<Completed> answer) {
    const std::scoped_lock lock(mutex_);
    if (answer) {
        Progress& flow = flows_[position.flow];
        ++flow.completed;
        flow.completed_at = Clock::now();
        if (flow.completed == options_.length) ended_.push_back(position.flow);
        ++completed_;
        if (done()) answered_.notify_one();
    } else {
        fail(std::move(answer).error());
    }
    return --open == 0;
}

void ChainsRun::next_claim(std::uint32_t worker) {
    {
        const std::scoped_lock lock(mutex_);
        if (error_ || done()) {
            --workers_;
            answered_.notify_one();
            return;
        }
    }
    claim(worker);
}

std::optional<EngineError> ChainsRun::wait_for_members() {
    std::unique_lock lock(mutex_);
    for (std::uint64_t before = completed_;; before = completed_) {
        const auto all_answered = [this] { return error_ || (done() && submits_in_flight_ == 0); };
        if (answered_.wait_for(lock, chains_patience, all_answered)) return error_;
        if (completed_ == before) {
            fail(broken(fmt::format("{} of {} members are completed, and none for {} s", completed_,
                                    options_.flows * options_.length, chains_patience.count())));
        }
    }
}

std::optional<EngineError> ChainsRun::wait_for_workers() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return workers_ == 0 && submits_in_flight_ == 0; });
    return error_;
}

// The flows that were completed last end last, so they are asked first; those that have ended at the first look do not
// prolong the time.
Result<Clock::time_point> ChainsRun::wait_for_flows() {
    auto ended_at = Clock::time_point::min();
    const auto deadline = Clock::now() + chains_patience;
    for (const std::uint64_t number : std::views::reverse(ended_)) {
        const Progress& flow = flows_[number];
        for (bool waited = ended_at == Clock::time_point::min();; waited = true) {
            const auto status = stored_status(engine_, flow.partition, flow.id);
            if (!status) return status.error();
            if (*status == FlowStatus::completed) {
                if (waited) ended_at = Clock::now();
                break;
            }
            if (Clock::now() >= deadline) {
                return broken(fmt::format("the members of flow {} are completed, the flow itself is {}",
                                          flow.id.to_string(), to_string(*status)));
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    return ended_at;
}

}  // namespace flowfabric::bench
