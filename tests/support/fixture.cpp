#include "support/fixture.hpp"

#include "core/execution/view.hpp"
#include "support/invariants.hpp"
#include "support/refusals.hpp"

namespace flowfabric::test {
namespace {

template <class T>
T read(StoreResult<T> result) {
    if (!result) throw std::runtime_error(result.error().detail);
    return std::move(*result);
}

}  // namespace

Claim claim_by(std::string_view name) {
    Claim claim;
    claim.worker_id = name;
    claim.worker_instance_id = std::string(name) + "-1";
    return claim;
}

ExecutionPolicy retries(std::uint32_t max_retries, std::uint64_t fixed_delay_ms) {
    ExecutionPolicy policy;
    policy.retry_policy = RetryPolicy{.max_retries = max_retries, .backoff = FixedBackoff{fixed_delay_ms}};
    return policy;
}

ExecutionPolicy requiring(std::vector<std::string> capabilities) {
    ExecutionPolicy policy;
    policy.routing_requirements = RoutingRequirements{.required_capabilities = std::move(capabilities)};
    return policy;
}

AnyCompletion collect_claimed(std::vector<ExecutionId>& ids) {
    return [&ids](const Result<Answer>& answer) {
        const auto claimed = answer_of<Claimed>(answer);
        for (const ClaimedExecution& one : claimed.executions) ids.push_back(one.execution_id);
    };
}

Fence fence_of(const ClaimedExecution& claimed) {
    return {.execution_id = claimed.execution_id,
            .lease_id = claimed.lease_id,
            .lease_epoch = claimed.lease_epoch,
            .attempt_id = claimed.attempt_id};
}

Settings plain(Settings settings) {
    SettingOverrides& overrides = settings.overrides;
    if (!overrides.default_retry_policy) overrides.default_retry_policy = RetryPolicy{.max_retries = 0};
    if (!overrides.execution_retention_ms) overrides.execution_retention_ms = 0;
    return settings;
}

void StoreTest::SetUp() {
    const Availability availability = availability_of(GetParam());
    if (!availability.available && availability.required) FAIL() << availability.message;
    if (!availability.available) GTEST_SKIP() << availability.message;
    store_ = std::make_unique<TestStore>(GetParam());
    reader_ = read(backend().open_reader());
    engine_ = another_engine();
}

void StoreTest::TearDown() {
    if (!store_) return;
    expect_invariants(snapshot());
    engine_.reset();
    reader_.reset();
    store_.reset();
}

std::unique_ptr<Simulation> StoreTest::another_engine(Settings settings, BatchPolicy policy) {
    return std::make_unique<Simulation>(store_->backend(), SimulationOptions{.seed = ++engines_,
                                                                             .policy = policy,
                                                                             .settings = plain(std::move(settings)),
                                                                             .decide = decide_watching_refusals});
}

std::unique_ptr<Simulation> StoreTest::obedient_engine() {
    return std::make_unique<Simulation>(store_->backend(),
                                        SimulationOptions{.seed = ++engines_, .decide = decide_watching_refusals});
}

ExecutionId StoreTest::create(CreateExecution command) {
    const Created created = value_of(run(std::move(command)));
    EXPECT_FALSE(created.duplicate);
    return created.execution_id;
}

ExecutionId StoreTest::create_with(ExecutionPolicy policy) {
    CreateExecution command;
    command.policy = std::move(policy);
    return create(std::move(command));
}

ClaimedExecution StoreTest::claim(std::string_view worker) {
    return claim(claim_by(worker));
}

ClaimedExecution StoreTest::claim(Claim command) {
    Claimed claimed = value_of(run(std::move(command)));
    if (claimed.executions.size() != 1) throw std::runtime_error("the claim did not return exactly one execution");
    return std::move(claimed.executions.front());
}

std::vector<ExecutionId> StoreTest::claimed_ids(Claim command) {
    std::vector<ExecutionId> ids;
    const Claimed claimed = value_of(run(std::move(command)));
    for (const ClaimedExecution& one : claimed.executions) ids.push_back(one.execution_id);
    return ids;
}

Result<Renewed> StoreTest::renew(const Handle& handle, std::optional<std::uint64_t> ttl_ms) {
    return run(Renew{.lease = handle, .lease_ttl_ms = ttl_ms});
}

Result<Completed> StoreTest::complete(const Handle& handle, std::optional<Bytes> result) {
    return run(Complete{.lease = handle, .result = std::move(result)});
}

Result<Failed> StoreTest::fail(const Handle& handle, std::string category) {
    return run(Fail{.lease = handle, .reason = "it broke", .category = std::move(category)});
}

RetryScheduled StoreTest::fail_with_retry(const Handle& handle) {
    return std::get<RetryScheduled>(value_of(fail(handle)));
}

Result<ProgressRecorded> StoreTest::progress(const LeaseRef& lease, std::optional<std::uint32_t> percent,
                                             std::optional<std::string> message) {
    return run(Progress{.lease = lease, .percent = percent, .message = std::move(message)});
}

Result<Delayed> StoreTest::delay(const LeaseRef& lease, std::int64_t until_ms) {
    return run(Delay{.lease = lease, .delay_until_ms = until_ms});
}

Result<Released> StoreTest::release(const LeaseRef& lease) {
    return run(ReleaseUnstarted{.lease = lease});
}

Result<Cancelled> StoreTest::cancel(const LeaseRef& lease, std::string reason) {
    return run(Cancel{.lease = lease, .reason = std::move(reason)});
}

Result<Cancelled> StoreTest::cancel_by(std::string source, const ExecutionId& id, std::string reason) {
    return run(
        CancelExecution{.execution = {.execution_id = id}, .reason = std::move(reason), .source = std::move(source)});
}

Result<LaneChanged> StoreTest::set_lane(std::string lane_id, LaneState state) {
    return run(SetLaneState{.lane_id = std::move(lane_id), .state = state});
}

void StoreTest::let_lease_lapse() {
    advance(30'000);
    reconcile();
}

ExecutionRow StoreTest::row(const ExecutionId& id) {
    auto found = read(reader().execution(id));
    if (!found) throw std::runtime_error(id.to_string() + " does not exist");
    return std::move(*found);
}

ExecutionView StoreTest::view(const ExecutionId& id) {
    return view_of(row(id));
}

std::optional<Bytes> StoreTest::result(const ExecutionId& id) {
    return read(reader().result(id));
}

std::vector<AttemptView> StoreTest::attempts(const ExecutionId& id) {
    return attempts_of(read(reader().attempts(id, std::nullopt, max_page)), row(id));
}

std::vector<LeaseEvent> StoreTest::lease_events(const ExecutionId& id) {
    std::vector<LeaseEvent> events = snapshot().lease_events;
    std::erase_if(events, [&](const LeaseEvent& event) { return event.execution_id != id; });
    return events;
}

std::vector<LeaseEventType> StoreTest::lease_event_types(const ExecutionId& id) {
    std::vector<LeaseEventType> types;
    for (const LeaseEvent& event : lease_events(id)) types.push_back(*event.event_type.known());
    return types;
}

std::vector<CompletionEvent> StoreTest::completion_events(const ExecutionId& id) {
    std::vector<CompletionEvent> events = snapshot().completion_events;
    std::erase_if(events, [&](const CompletionEvent& event) { return event.execution_id != id; });
    return events;
}

std::vector<TerminalOutcome> StoreTest::outcomes(const ExecutionId& id) {
    std::vector<TerminalOutcome> found;
    for (const CompletionEvent& event : completion_events(id)) found.push_back(*event.outcome.known());
    return found;
}

std::vector<OperatorEvent> StoreTest::operator_events(const ExecutionId& id) {
    std::vector<OperatorEvent> events = snapshot().operator_events;
    std::erase_if(events, [&](const OperatorEvent& event) { return event.subject_id != id.uuid; });
    return events;
}

std::vector<OperatorEvent> StoreTest::operator_events(SubjectKind about) {
    std::vector<OperatorEvent> events = snapshot().operator_events;
    std::erase_if(events, [&](const OperatorEvent& event) { return event.subject_kind != about; });
    return events;
}

}  // namespace flowfabric::test
