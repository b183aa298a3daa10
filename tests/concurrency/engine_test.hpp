#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "flowfabric/engine.hpp"
#include "support/fixture.hpp"
#include "support/invariants.hpp"
#include "support/live_store.hpp"

namespace flowfabric::test {

inline constexpr std::chrono::milliseconds patience{60'000};  // for what must come

// Looks a thousand times a second, so that what it looks at is left alone in between.
inline void await(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("what must come did not come");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Runs action(0) … action(count - 1), each on a thread of its own, all let go at once; rethrows what one of them threw.
template <class Action>
void on_threads(int count, const Action& action) {
    std::latch start(count);
    std::vector<std::future<void>> threads;
    for (int i = 0; i < count; ++i) {
        threads.push_back(std::async(std::launch::async, [&, i] {
            start.arrive_and_wait();
            action(i);
        }));
    }
    for (auto& thread : threads) thread.wait();
    for (auto& thread : threads) thread.get();
}

template <class C>
using Pending = std::future<Result<typename C::Answer>>;

template <CommandType C>
Pending<C> start(Engine& engine, C command) {
    auto promise = std::make_shared<std::promise<Result<typename C::Answer>>>();
    auto pending = promise->get_future();
    engine.submit<C>(std::move(command),
                     [promise](Result<typename C::Answer> answer) { promise->set_value(std::move(answer)); });
    return pending;
}

// The answer, which must come; how soon is nobody's promise.
template <class T>
T answer_of(std::future<T>& pending) {
    if (pending.wait_for(std::chrono::seconds(120)) != std::future_status::ready) {
        throw std::runtime_error("a command was never answered");
    }
    return pending.get();
}

template <class T>
bool answered(const std::future<T>& pending) {
    return pending.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// Threaded engines over one live store of the parameter's kind. Whatever the test did, the invariants hold at its end.
class EngineTest : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (have_store(GetParam())) store_ = std::make_unique<LiveStore>(GetParam());
    }
    void TearDown() override {
        engines_.clear();
        if (store_) expect_invariants(*store_->open_backend());
    }

    LiveStore& store() { return *store_; }
    Dump snapshot() { return dump(*store_->open_backend()); }

    // Each call opens one more engine, on connections of its own.
    Engine& open(EngineOptions options = {}) {
        engines_.push_back(store_->open_engine(std::move(options)));
        return *engines_.back();
    }
    void close_all() { engines_.clear(); }

    static std::set<ExecutionId> create(Engine& engine, int count, const CreateExecution& command = {}) {
        std::vector<Pending<CreateExecution>> pending;
        for (int i = 0; i < count; ++i) pending.push_back(start(engine, command));
        std::set<ExecutionId> ids;
        for (auto& one : pending) ids.insert(value_of(answer_of(one)).execution_id);
        return ids;
    }

    // Returns once a claim on the lanes of `claim` that was started before is sure to have looked and found nothing.
    static void await_empty_look(Engine& engine, Claim claim) {
        claim.max_wait_ms = 0;
        if (!value_of(engine.claim(std::move(claim))).executions.empty()) throw std::runtime_error("there was work");
    }

  private:
    std::unique_ptr<LiveStore> store_;
    std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace flowfabric::test
