#include "conformance/api_test.hpp"

namespace flowfabric::test {
namespace {

using enum ErrorKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::int64_t ttl = 30'000;

class WorkerRegistry : public ApiTest {
  protected:
    static RegisterWorker worker(std::string instance, std::string id = "w") {
        return {.worker_id = std::move(id), .worker_instance_id = std::move(instance)};
    }
    Result<WorkerRegistered> enroll(RegisterWorker command) { return run(std::move(command)); }
    Heartbeat beat(std::string instance) {
        return value_of(run(HeartbeatWorker{.worker_instance_id = std::move(instance)}));
    }
    WorkerDeath mark_dead(std::string instance, std::string reason = "gone") {
        return value_of(run(MarkWorkerDead{"default", std::move(instance), std::move(reason)}));
    }
    std::vector<std::string> alive(const ListWorkers& query = {}) {
        std::vector<std::string> found;
        for (const WorkerView& view : value_of(api().list_workers(query)).workers) {
            found.push_back(view.namespace_name + "/" + view.worker_instance_id);
        }
        return found;
    }
    std::vector<WorkerEventKind> events() {
        std::vector<std::pair<std::int64_t, WorkerEventKind>> found;
        for (const auto& [key, row] : snapshot().of<WorkerEventRow>())
            found.emplace_back(key.event_at_ms, key.event_kind);
        std::ranges::sort(found);
        std::vector<WorkerEventKind> kinds;
        for (const auto& [at, kind] : found) kinds.push_back(kind);
        return kinds;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, WorkerRegistry, all_stores(), name_of_param);

TEST_P(WorkerRegistry, RegistersThenRefreshes) {
    EXPECT_EQ(value_of(enroll(worker("i1"))), (WorkerRegistered{false, now() + ttl}));
    const auto first = now();
    advance(100);
    RegisterWorker again = worker("i1");
    again.lanes = {"mail", "a,b", "mail"};
    again.capabilities = {"gpu", "arm", "gpu"};
    again.liveness_ttl_ms = 5000;
    EXPECT_EQ(value_of(enroll(again)), (WorkerRegistered{true, now() + 5000}));
    const auto page = value_of(api().list_workers());
    ASSERT_THAT(page.workers, SizeIs(1));
    EXPECT_EQ(page.workers[0], (WorkerView{"default", "i1", "w", {"a,b", "mail"}, {"arm", "gpu"}, now(), 5000, first}));
    EXPECT_EQ(page.next, std::nullopt);
    EXPECT_THAT(events(), ElementsAre(WorkerEventKind::registered));
}

TEST_P(WorkerRegistry, AnInstanceBelongsToOneWorkerWhileItLives) {
    value_of(enroll(worker("i1", "w")));
    expect_no_change([&] { expect_error(enroll(worker("i1", "other")), invalid_input, "instance_id reassigned"); });
    advance(ttl);
    EXPECT_FALSE(value_of(enroll(worker("i1", "other"))).refreshed) << "a lapsed row is none, swept or not";
    EXPECT_EQ(value_of(api().list_workers()).workers.at(0).registered_at_ms, now());
}

TEST_P(WorkerRegistry, LivesAsLongAsItIsHeardOf) {
    EXPECT_EQ(beat("i1"), Heartbeat{NotRegistered{}});
    value_of(enroll(worker("i1")));
    advance(ttl - 1);
    EXPECT_EQ(beat("i1"), Heartbeat{WorkerAlive{now() + ttl}});
    advance(ttl - 1);
    EXPECT_THAT(alive(), ElementsAre("default/i1"));
    advance(1);
    EXPECT_THAT(alive(), IsEmpty());
    expect_no_change([&] { EXPECT_EQ(beat("i1"), Heartbeat{NotRegistered{}}); });
}

TEST_P(WorkerRegistry, ADeadWorkerIsGone) {
    value_of(enroll(worker("i1")));
    advance(1);
    EXPECT_EQ(mark_dead("i1", "operator said so"), WorkerDeath{WorkerMarkedDead{}});
    EXPECT_EQ(beat("i1"), Heartbeat{NotRegistered{}});
    expect_no_change([&] { EXPECT_EQ(mark_dead("i1"), WorkerDeath{NotRegistered{}}); });
    EXPECT_THAT(events(), ElementsAre(WorkerEventKind::registered, WorkerEventKind::marked_dead));
    advance(1);
    EXPECT_FALSE(value_of(enroll(worker("i1"))).refreshed);
}

TEST_P(WorkerRegistry, TheSweepTakesWhatHasLapsedAndNothingElse) {
    value_of(enroll(worker("old")));
    advance(1);
    value_of(enroll(worker("young")));
    advance(ttl - 1);
    reconcile();
    EXPECT_THAT(snapshot().of<WorkerRow>(), SizeIs(1));
    EXPECT_THAT(alive(), ElementsAre("default/young"));
    EXPECT_THAT(events(), testing::Contains(WorkerEventKind::ttl_swept));
    expect_no_change([&] { reconcile(); });
}

TEST_P(WorkerRegistry, AHeartbeatBeforeTheSweepKeepsItAlive) {
    value_of(enroll(worker("i1")));
    advance(ttl);
    auto other = another_engine();
    EXPECT_FALSE(value_of(other->run(worker("i1"))).refreshed);
    expect_no_change([&] { reconcile(); });
    EXPECT_THAT(alive(), ElementsAre("default/i1"));
}

TEST_P(WorkerRegistry, ListsByNamespaceAndPages) {
    for (const char* space : {"b", "a"}) {
        for (const char* instance : {"i2", "i1", "i3"}) {
            RegisterWorker command = worker(instance);
            command.namespace_name = space;
            value_of(enroll(command));
        }
    }
    EXPECT_THAT(alive(), ElementsAre("a/i1", "a/i2", "a/i3", "b/i1", "b/i2", "b/i3"));
    EXPECT_THAT(alive({.namespace_name = "b"}), ElementsAre("b/i1", "b/i2", "b/i3"));
    EXPECT_THAT(alive({.limit = 0}), IsEmpty());
    std::vector<std::string> visited;
    ListWorkers query{.limit = 2};
    for (;;) {
        const auto page = value_of(api().list_workers(query));
        for (const WorkerView& view : page.workers)
            visited.push_back(view.namespace_name + "/" + view.worker_instance_id);
        if (!page.next) break;
        query.after = page.next;
    }
    EXPECT_EQ(visited, alive());
}

TEST_P(WorkerRegistry, NamesWhatItRefuses) {
    const auto refused = [&](auto change, std::string_view field) {
        RegisterWorker command = worker("i1");
        change(command);
        expect_error(enroll(command), invalid_input, field);
    };
    expect_no_change([&] {
        refused([](RegisterWorker& c) { c.worker_instance_id.clear(); }, "worker_instance_id");
        refused([](RegisterWorker& c) { c.worker_id = "with space"; }, "worker_id");
        refused([](RegisterWorker& c) { c.namespace_name = std::string(257, 'n'); }, "namespace");
        refused([](RegisterWorker& c) { c.lanes.clear(); }, "lanes");
        refused([](RegisterWorker& c) { c.lanes = {"\x7f"}; }, "lane_id");
        refused([](RegisterWorker& c) { c.liveness_ttl_ms = 999; }, "liveness_ttl_ms");
        RegisterWorker comma = worker("i1");
        comma.capabilities = {"a,b"};
        expect_error(enroll(comma), invalid_capabilities, "comma");
        expect_error(run(MarkWorkerDead{"default", "i1", std::string(257, 'r')}), invalid_input, "reason");
        expect_error(run(MarkWorkerDead{"default", "i1", "a\nb"}), invalid_input, "reason");
    });
    EXPECT_EQ(mark_dead("i1", std::string(256, 'r')), WorkerDeath{NotRegistered{}});
}

TEST_P(WorkerRegistry, ForgetsItsEventsAfterAWeek) {
    value_of(enroll(worker("i1")));
    advance(7 * 24 * 3'600'000 - 1);
    reconcile();
    EXPECT_THAT(events(), testing::Contains(WorkerEventKind::registered));
    advance(1);
    reconcile();
    EXPECT_THAT(events(), testing::Not(testing::Contains(WorkerEventKind::registered)));
}

// ---- expired leases -----------------------------------------------------------------------------------------------

class ExpiredLeases : public ApiTest {};
INSTANTIATE_TEST_SUITE_P(Stores, ExpiredLeases, all_stores(), name_of_param);

TEST_P(ExpiredLeases, AreListedNoticedOrNotUntilTheyAreTakenOver) {
    const auto noticed = create();
    const auto claimed = claim();
    let_lease_lapse();
    const auto unnoticed = create({.lane_id = "other"});
    Claim elsewhere = claim_by("w1");
    elsewhere.lanes = {"other"};
    claim(elsewhere);
    const auto expiry = now();
    EXPECT_EQ(state(noticed), PublicState::active);

    auto page = value_of(api().list_expired_leases());
    ASSERT_THAT(page.leases, SizeIs(1));
    EXPECT_EQ(page.leases[0], (ExpiredLease{noticed, claimed.lease_id, claimed.lease_epoch, 0, "w1", "w1-1",
                                            claimed.lease_expires_at_ms}));
    advance(30'000);
    page = value_of(api().list_expired_leases());
    ASSERT_THAT(page.leases, SizeIs(2));
    EXPECT_EQ(page.leases[1].execution_id, unnoticed);
    EXPECT_THAT(value_of(api().list_expired_leases({.as_of_ms = expiry})).leases, SizeIs(1));

    Claim both = claim_by("w2");
    both.lanes = {"default", "other"};
    both.max_count = 2;
    reconcile();
    value_of(run(both));
    EXPECT_THAT(value_of(api().list_expired_leases()).leases, IsEmpty());
}

TEST_P(ExpiredLeases, ARenewedLeaseIsNone) {
    create();
    const auto claimed = claim();
    advance(20'000);
    value_of(renew(claimed.handle));
    advance(20'000);
    EXPECT_THAT(value_of(api().list_expired_leases()).leases, IsEmpty());
}

TEST_P(ExpiredLeases, OfOneMillisecondAreAllVisitedByPagesOfOne) {
    std::vector<ExecutionId> ids;
    for (int i = 0; i < 5; ++i) ids.push_back(create());
    CreateExecution elsewhere;
    elsewhere.namespace_name = "other";
    const auto foreign = create(elsewhere);
    Claim all = claim_by("w1");
    all.max_count = 6;
    value_of(run(all));
    let_lease_lapse();
    std::vector<ExecutionId> visited;
    ListExpiredLeases query{.namespace_name = "default", .limit = 1};
    for (;;) {
        const auto page = value_of(api().list_expired_leases(query));
        for (const ExpiredLease& lease : page.leases) visited.push_back(lease.execution_id);
        if (!page.next) break;
        query.after = page.next;
    }
    EXPECT_THAT(visited, testing::UnorderedElementsAreArray(ids));
    EXPECT_THAT(value_of(api().list_expired_leases({.namespace_name = "other"})).leases, SizeIs(1));
    EXPECT_EQ(value_of(api().list_expired_leases({.namespace_name = "other"})).leases[0].execution_id, foreign);
    EXPECT_THAT(value_of(api().list_expired_leases({.limit = 0})).leases, IsEmpty());
}

TEST_P(WorkerRegistry, AnOperatorsWordIsToldWithEveryCall) {
    value_of(enroll(worker("i1")));
    value_of(enroll(worker("i2")));
    EXPECT_EQ(value_of(run(SetWorkerMode{.worker_id = "w", .mode = WorkerMode::quiet})).mode, WorkerMode::quiet);
    EXPECT_EQ(value_of(run(SetWorkerMode{.worker_instance_id = "i2", .mode = WorkerMode::stop})).mode,
              WorkerMode::stop);
    EXPECT_EQ(value_of(enroll(worker("i1"))).mode, WorkerMode::quiet);
    EXPECT_EQ(beat("i1"), Heartbeat(WorkerAlive{now() + ttl, WorkerMode::quiet}));
    EXPECT_EQ(beat("i2"), Heartbeat(WorkerAlive{now() + ttl, WorkerMode::stop})) << "the stricter holds";
    const auto workers = value_of(api().list_workers()).workers;
    EXPECT_EQ(workers.at(0).mode, WorkerMode::quiet);
    EXPECT_EQ(workers.at(1).mode, WorkerMode::stop);
    EXPECT_EQ(value_of(enroll(worker("i3"))).mode, WorkerMode::quiet) << "processes that come later as well";

    value_of(run(SetWorkerMode{.worker_id = "w", .mode = WorkerMode::run}));
    EXPECT_EQ(value_of(enroll(worker("i1"))).mode, WorkerMode::run);
    EXPECT_EQ(value_of(enroll(worker("i2"))).mode, WorkerMode::stop);
    mark_dead("i2");
    EXPECT_EQ(value_of(enroll(worker("i2"))).mode, WorkerMode::run) << "what was asked of one process ends with it";
}

TEST_P(WorkerRegistry, AQuietWorkersClaimsComeBackEmpty) {
    const ExecutionId id = create();
    Claim command = claim_by("w");
    command.namespace_name = "default";
    command.max_wait_ms = 3'600'000;
    value_of(run(SetWorkerMode{.worker_instance_id = command.worker_instance_id, .mode = WorkerMode::quiet}));
    EXPECT_EQ(value_of(run(command)), (Claimed{{}, WorkerMode::quiet}));
    value_of(run(SetWorkerMode{.worker_instance_id = command.worker_instance_id, .mode = WorkerMode::run}));
    EXPECT_EQ(value_of(run(command)).executions.at(0).execution_id, id);
}

TEST_P(WorkerRegistry, AClaimThatWaitsIsToldAtOnce) {
    Claim command = claim_by("w");
    command.namespace_name = "default";
    command.max_wait_ms = 3'600'000;
    std::vector<Claimed> answers;
    engine().submit(command,
                    [&answers](const Result<Answer>& answer) { answers.push_back(answer_of<Claimed>(answer)); });
    for (int look = 0; look < 2; ++look) engine().step();
    ASSERT_THAT(answers, IsEmpty());
    value_of(run(SetWorkerMode{.worker_id = command.worker_id, .mode = WorkerMode::stop}));
    while (answers.empty() && engine().step()) {
    }
    EXPECT_THAT(answers, ElementsAre(Claimed{{}, WorkerMode::stop}));
}

TEST_P(WorkerRegistry, WhatAQuietWorkerHoldsItKeeps) {
    create();
    Claim command = claim_by("w");
    command.namespace_name = "default";
    command.request_id = "r1";
    const auto first = value_of(run(command)).executions;
    value_of(run(SetWorkerMode{.worker_id = command.worker_id, .mode = WorkerMode::quiet}));
    EXPECT_EQ(value_of(run(command)), (Claimed{first, WorkerMode::quiet})) << "a repeat gets its leases";
    EXPECT_TRUE(renew(first.at(0).handle));
    EXPECT_TRUE(complete(first.at(0).handle));
}

TEST_P(WorkerRegistry, AModeNamesAWorkerOrAProcess) {
    expect_no_change([&] {
        expect_error(run(SetWorkerMode{.mode = WorkerMode::quiet}), invalid_input, "worker_id");
        expect_error(run(SetWorkerMode{.worker_id = "a b"}), invalid_input, "worker_id");
        expect_error(run(SetWorkerMode{.worker_instance_id = ""}), invalid_input, "worker_instance_id");
    });
}

}  // namespace
}  // namespace flowfabric::test
