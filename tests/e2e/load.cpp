#include "e2e/load.hpp"

#include <chrono>
#include <stdexcept>

namespace flowfabric::test {

Load::Load(Engine& engine, LoadOptions options, OnAcknowledged on_acknowledged)
    : engine_(engine),
      options_(options),
      on_acknowledged_(std::move(on_acknowledged)),
      under_way_(options.submitters + options.claimers) {
    for (int i = 0; i < options_.submitters; ++i) submit();
    for (int i = 0; i < options_.claimers; ++i) claim(i);
}

Load::~Load() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    changed_.wait(lock, [&] { return under_way_ == 0; });
}

void Load::await_completed(std::size_t count) {
    std::unique_lock lock(mutex_);
    const auto& contradictions = acknowledged_.contradictions;
    const auto enough = [&] {
        return acknowledged_.completed.size() >= count && (count < options_.executions || under_way_ == 0);
    };
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return enough() || !contradictions.empty(); });
    if (!contradictions.empty()) throw std::runtime_error(contradictions.front());
    if (!enough()) {
        throw std::runtime_error("only " + std::to_string(acknowledged_.completed.size()) + " executions completed");
    }
}

std::size_t Load::completed() const {
    const std::scoped_lock lock(mutex_);
    return acknowledged_.completed.size();
}

Acknowledged Load::acknowledged() const {
    const std::scoped_lock lock(mutex_);
    return acknowledged_;
}

void Load::leave() {
    --under_way_;
    changed_.notify_all();
}

void Load::submit() {
    {
        const std::scoped_lock lock(mutex_);
        if (stopping_ || submitted_ == options_.executions) return leave();
        ++submitted_;
    }
    engine_.submit<CreateExecution>({}, [this](const Result<Created>& answer) {
        on_created(answer);
        submit();
    });
}

void Load::on_created(const Result<Created>& answer) {
    const std::scoped_lock lock(mutex_);
    if (!answer) {
        acknowledged_.contradictions.push_back("create: " + to_string(answer.error()));
    } else if (!acknowledged_.created.insert(answer->execution_id).second) {
        acknowledged_.contradictions.push_back("created twice: " + answer->execution_id.to_string());
    } else if (on_acknowledged_) {
        on_acknowledged_("created", answer->execution_id);
    }
}

void Load::claim(int claimer) {
    {
        const std::scoped_lock lock(mutex_);
        if (stopping_ || acknowledged_.completed.size() >= options_.executions) return leave();
    }
    Claim command{.worker_id = "load", .worker_instance_id = "load-" + std::to_string(claimer)};
    command.lease_ttl_ms = options_.lease_ttl_ms;
    command.max_count = 10;
    command.max_wait_ms = 100;
    engine_.submit<Claim>(std::move(command),
                          [this, claimer](const Result<Claimed>& answer) { on_claimed(claimer, answer); });
}

void Load::on_claimed(int claimer, const Result<Claimed>& answer) {
    {
        const std::scoped_lock lock(mutex_);
        if (!answer) {
            acknowledged_.contradictions.push_back("claim: " + to_string(answer.error()));
        } else {
            for (const auto& claimed : answer->executions) {
                if (claimed_.insert(claimed.execution_id).second) continue;
                acknowledged_.contradictions.push_back("claimed twice: " + claimed.execution_id.to_string());
            }
            under_way_ += static_cast<int>(answer->executions.size());
        }
    }
    if (answer) {
        for (const auto& claimed : answer->executions) {
            engine_.submit<Complete>({.lease = claimed.handle, .result = "done"},
                                     [this](const Result<Completed>& completed) { on_completed(completed); });
        }
    }
    claim(claimer);
}

void Load::on_completed(const Result<Completed>& answer) {
    const std::scoped_lock lock(mutex_);
    if (!answer) {
        acknowledged_.contradictions.push_back("complete: " + to_string(answer.error()));
    } else if (!acknowledged_.completed.insert(answer->execution_id).second) {
        acknowledged_.contradictions.push_back("completed twice: " + answer->execution_id.to_string());
    } else if (on_acknowledged_) {
        on_acknowledged_("completed", answer->execution_id);
    }
    leave();
}

}  // namespace flowfabric::test
