#include "bench/submit_run.hpp"

#include <string>
#include <utility>

namespace flowfabric::bench {

SubmitRun::SubmitRun(Engine& engine, const SubmitOptions& options)
    : engine_(engine), options_(options), payload_(options.payload_bytes, 'x') {
    latencies_.reserve(options.tasks);
}

Result<double> SubmitRun::submit_all() {
    const std::string lane = bench_lane();
    const auto started_at = BenchClock::now();
    for (std::uint64_t i = 0; i < options_.tasks && enter(); ++i) {
        CreateExecution command;
        command.lane_id = lane;
        command.execution_kind = "noop";
        command.creator_identity = "ff-bench";
        command.input_payload = payload_;
        const auto sent_at = BenchClock::now();
        engine_.submit(std::move(command),
                       [this, sent_at](Result<Created> answer) { on_created(sent_at, std::move(answer)); });
    }
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return in_flight_ == 0; });
    if (error_) return *error_;
    return seconds_between(started_at, BenchClock::now());
}

// Once there is room for one more; false after an error.
bool SubmitRun::enter() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return in_flight_ < options_.in_flight; });
    if (error_) return false;
    ++in_flight_;
    return true;
}

void SubmitRun::on_created(BenchClock::time_point sent_at, Result<Created> answer) {
    const auto now = BenchClock::now();
    const std::scoped_lock lock(mutex_);
    if (answer) {
        latencies_.push_back(now - sent_at);
    } else if (!error_) {
        error_ = std::move(answer).error();
    }
    --in_flight_;
    answered_.notify_one();
}

}  // namespace flowfabric::bench
