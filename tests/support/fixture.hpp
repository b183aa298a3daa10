#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/handle_codec.hpp"
#include "core/rows/execution_row.hpp"
#include "flowfabric/views.hpp"
#include "runtime/simulation/simulation.hpp"
#include "support/dump.hpp"
#include "support/print.hpp"
#include "support/stores.hpp"

namespace flowfabric::test {

inline constexpr std::int64_t hour = 3'600'000;
inline constexpr std::int64_t day = 24 * hour;
inline constexpr std::size_t payload_limit = 1'048'576;

// The value, or the test ends with the error as its message.
template <class T>
T value_of(Result<T> result) {
    if (!result) throw std::runtime_error(to_string(result.error()));
    return std::move(*result);
}

// The same for what a completion is given.
template <class T>
T answer_of(const Result<Answer>& result) {
    return value_of(result).template as<T>();
}

template <class T>
void expect_error(const Result<T>& result, ErrorKind kind, std::string_view in_detail = "") {
    if (result) {
        ADD_FAILURE() << "succeeded instead of answering " << name_of(kind);
        return;
    }
    EXPECT_EQ(name_of(result.error().kind), name_of(kind)) << to_string(result.error());
    EXPECT_THAT(result.error().detail, ::testing::HasSubstr(std::string(in_detail)));
}

// A claim of one execution by worker `name`, on lane `default`, for 30 s.
Claim claim_by(std::string_view name);

ExecutionPolicy retries(std::uint32_t max_retries, std::uint64_t fixed_delay_ms);
ExecutionPolicy requiring(std::vector<std::string> capabilities);

// A completion that appends the ids of what was claimed.
AnyCompletion collect_claimed(std::vector<ExecutionId>& ids);

Fence fence_of(const ClaimedExecution& claimed);
// The handle with its content changed.
template <class Change>
Handle forged(const Handle& handle, Change change) {
    HandleContent content = value_of(decode_handle(handle, handle.backend));
    change(content);
    return encode_handle(handle.backend, handle.kind, content);
}

// Of a suite that is about something else: a failure without a policy is final, and nothing is removed by its age.
Settings plain(Settings settings);

// One engine over one fresh store of the parameter's kind: deterministic, single-threaded, with a clock that only the
// test moves. Whatever the test did, the invariants hold at its end.
class StoreTest : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override;
    void TearDown() override;

    Backend& backend() { return *store_->backend(); }
    const std::shared_ptr<Backend>& shared_backend() { return store_->backend(); }
    Simulation& engine() { return *engine_; }
    // Another engine on the same store, as another process would be.
    std::unique_ptr<Simulation> another_engine(Settings settings = {}, BatchPolicy policy = {});
    // One that keeps to all settings of the store.
    std::unique_ptr<Simulation> obedient_engine();

    std::int64_t now() { return store_->clock().now_ms(); }
    void advance(std::int64_t by_ms) { store_->clock().advance(by_ms); }
    void reconcile() { engine_->reconcile(); }

    template <class C>
    Result<typename C::Answer> run(C command) {
        return engine_->run(std::move(command));
    }

    // Each expects success.
    ExecutionId create(CreateExecution command = {});
    ExecutionId create_with(ExecutionPolicy policy);
    ClaimedExecution claim(std::string_view worker = "w1");
    ClaimedExecution claim(Claim command);

    // The ids that a claim returns, none included.
    std::vector<ExecutionId> claimed_ids(Claim command);
    Result<Renewed> renew(const Handle& handle, std::optional<std::uint64_t> ttl_ms = {});
    Result<Completed> complete(const Handle& handle, std::optional<Bytes> result = {});
    Result<Failed> fail(const Handle& handle, std::string category = "transient");
    RetryScheduled fail_with_retry(const Handle& handle);
    Result<ProgressRecorded> progress(const LeaseRef& lease, std::optional<std::uint32_t> percent = 50,
                                      std::optional<std::string> message = {});
    Result<Delayed> delay(const LeaseRef& lease, std::int64_t until_ms);
    Result<Released> release(const LeaseRef& lease);
    Result<Cancelled> cancel(const LeaseRef& lease, std::string reason = "not needed");
    Result<Cancelled> cancel_by(std::string source, const ExecutionId& id, std::string reason = "not needed");
    Result<LaneChanged> set_lane(std::string lane_id, LaneState state);
    // Time passes until the lease of `claim_by` is over, and the scanner sees it.
    void let_lease_lapse();

    ExecutionRow row(const ExecutionId& id);
    ExecutionView view(const ExecutionId& id);
    PublicState state(const ExecutionId& id) { return row(id).vector.public_state; }
    std::optional<Bytes> result(const ExecutionId& id);
    std::vector<AttemptView> attempts(const ExecutionId& id);
    std::vector<LeaseEvent> lease_events(const ExecutionId& id);
    std::vector<LeaseEventType> lease_event_types(const ExecutionId& id);
    std::vector<CompletionEvent> completion_events(const ExecutionId& id);
    std::vector<TerminalOutcome> outcomes(const ExecutionId& id);
    std::vector<OperatorEvent> operator_events(const ExecutionId& id);
    std::vector<OperatorEvent> lane_events() { return operator_events(SubjectKind::lane); }
    std::vector<OperatorEvent> operator_events(SubjectKind about);

    Dump snapshot() { return dump(reader()); }
    // Runs the action and expects the whole store to be as before.
    template <class Action>
    void expect_no_change(Action action) {
        const Dump before = snapshot();
        action();
        const Dump after = snapshot();
        EXPECT_TRUE(before == after) << difference(before, after);
    }

  private:
    StoreReader& reader() { return *reader_; }

    std::unique_ptr<TestStore> store_;
    std::unique_ptr<StoreReader> reader_;
    std::unique_ptr<Simulation> engine_;
    std::uint64_t engines_ = 0;
};

}  // namespace flowfabric::test
