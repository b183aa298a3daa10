#include "bench/drain_run.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <ranges>

#include <fmt/format.h>

namespace flowfabric::bench {
namespace {

using Clock = BenchClock;

constexpr std::size_t submits_in_flight = 2'000;
constexpr std::uint32_t lanes_at_once = 64;

std::string capability(unsigned bit) {
    return fmt::format("c{:02}", bit);
}

// The number in binary: as many sets as wanted of few capabilities.
std::vector<std::string> capabilities_of(std::uint64_t number) {
    std::vector<std::string> all;
    for (unsigned bit = 0; number >> bit != 0; ++bit) {
        if ((number >> bit & 1U) != 0) all.push_back(capability(bit));
    }
    return all;
}

// One with half of the capabilities.
std::uint64_t usual_set(std::uint64_t sets) {
    return (std::uint64_t{1} << std::bit_width(sets - 1) / 2) - 1;
}

// Enough for all sets.
std::vector<std::string> every_capability(std::uint64_t sets) {
    std::vector<std::string> all;
    for (unsigned bit = 0; (sets - 1) >> bit != 0; ++bit) all.push_back(capability(bit));
    return all;
}

}  // namespace

DrainRun::DrainRun(std::vector<Engine*> engines, const DrainOptions& options)
    : engines_(std::move(engines)), options_(options), lane_(bench_lane()) {
    created_.reserve(options.tasks);
    completed_.reserve(options.tasks);
    latencies_.reserve(options.tasks);
    for (std::uint32_t worker = 0; worker < options.workers; ++worker) group_of_.push_back(next_group_++);
}

std::string DrainRun::lane(std::uint64_t number) const {
    return number == 0 ? lane_ : fmt::format("{}-{}", lane_, number);
}

std::vector<std::string> DrainRun::lanes_of(std::uint64_t group) const {
    const std::uint64_t groups = (options_.lanes + lanes_at_once - 1) / lanes_at_once;
    const std::uint64_t first = group % groups * lanes_at_once;
    std::vector<std::string> lanes;
    for (auto i = first; i < std::min<std::uint64_t>(first + lanes_at_once, options_.lanes); ++i)
        lanes.push_back(lane(i));
    return lanes;
}

Result<double> DrainRun::submit_all() {
    const auto started_at = Clock::now();
    for (std::uint64_t i = 0; i < options_.tasks; ++i) {
        std::unique_lock lock(mutex_);
        answered_.wait(lock, [this] { return in_flight_ < submits_in_flight; });
        if (error_) break;
        ++in_flight_;
        lock.unlock();
        CreateExecution command;
        command.lane_id = lane(i % options_.lanes);
        command.priority = static_cast<std::int32_t>(i % options_.priorities);
        const std::uint64_t set =
            options_.same_set ? usual_set(options_.capability_sets) : i % options_.capability_sets;
        if (auto required = capabilities_of(set); !required.empty()) {
            command.policy.emplace().routing_requirements.emplace().required_capabilities = std::move(required);
        }
        command.execution_kind = "noop";
        command.creator_identity = "ff-bench";
        engines_.front()->submit(std::move(command), [this](Result<Created> answer) { on_created(std::move(answer)); });
    }
    if (auto failed = wait_for_answers()) return *std::move(failed);
    return seconds_between(started_at, Clock::now());
}

Result<double> DrainRun::drain_all() {
    const auto started_at = Clock::now();
    {
        const std::scoped_lock lock(mutex_);
        in_flight_ = options_.workers;
    }
    for (std::uint32_t worker = 0; worker < options_.workers; ++worker) claim(worker);
    if (auto failed = wait_for_answers()) return *std::move(failed);
    return seconds_between(started_at, completed_.back().answered_at);
}

Result<void> DrainRun::verify_exactly_once() {
    std::ranges::sort(created_);
    std::ranges::sort(completed_, {}, &AnsweredComplete::execution_id);
    if (std::ranges::equal(created_, completed_, {}, {}, &AnsweredComplete::execution_id) &&
        std::ranges::adjacent_find(created_) == created_.end()) {
        return {};
    }
    return broken(fmt::format("{} executions submitted, {} completions answered, not one for each", created_.size(),
                              completed_.size()));
}

std::optional<EngineError> DrainRun::wait_for_answers() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return in_flight_ == 0; });
    return error_;
}

// With mutex_ held.
void DrainRun::leave() {
    --in_flight_;
    answered_.notify_one();
}

void DrainRun::on_created(Result<Created> answer) {
    const std::scoped_lock lock(mutex_);
    if (answer) {
        created_.push_back(answer->execution_id);
    } else if (!error_) {
        error_ = std::move(answer).error();
    }
    leave();
}

void DrainRun::claim(std::uint32_t worker) {
    Claim command;
    {
        const std::scoped_lock lock(mutex_);
        command.lanes = lanes_of(group_of_[worker]);
    }
    command.capabilities = every_capability(options_.capability_sets);
    command.worker_id = "ff-bench";
    command.worker_instance_id = fmt::format("ff-bench-{}", worker);
    command.max_count = options_.batch;
    // Only a claim that found the rest of the lane locked by others ever waits.
    command.max_wait_ms = options_.lanes > lanes_at_once ? 0 : 20;
    const auto sent_at = Clock::now();
    engine_of(worker).submit(std::move(command), [this, worker, sent_at](Result<Claimed> answer) {
        on_claimed(worker, sent_at, std::move(answer));
    });
}

void DrainRun::on_claimed(std::uint32_t worker, Clock::time_point sent_at, Result<Claimed> answer) {
    if (!answer) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::move(answer).error();
        leave();
        return;
    }
    auto& executions = answer->executions;
    {
        const std::scoped_lock lock(mutex_);
        claimed_ += executions.size();
        if (executions.size() < options_.batch) group_of_[worker] = next_group_++;
    }
    if (executions.empty()) {
        next_claim(worker);
        return;
    }
    const auto open = std::make_shared<std::size_t>(executions.size());
    for (auto& execution : executions) {
        Complete command;
        command.lease = std::move(execution.handle);
        engine_of(worker).submit(std::move(command), [this, worker, sent_at, open](Result<Completed> completed) {
            if (on_completed(sent_at, *open, std::move(completed))) next_claim(worker);
        });
    }
}

// Whether this was the last answer of its claim.
bool DrainRun::on_completed(Clock::time_point sent_at, std::size_t& open, Result<Completed> answer) {
    const std::scoped_lock lock(mutex_);
    const auto now = Clock::now();
    if (answer) {
        completed_.push_back({.execution_id = answer->execution_id, .answered_at = now});
        latencies_.push_back(now - sent_at);
    } else if (!error_) {
        error_ = std::move(answer).error();
    }
    return --open == 0;
}

void DrainRun::next_claim(std::uint32_t worker) {
    {
        const std::scoped_lock lock(mutex_);
        if (error_ || claimed_ >= options_.tasks) {
            leave();
            return;
        }
    }
    claim(worker);
}

}  // namespace flowfabric::bench
