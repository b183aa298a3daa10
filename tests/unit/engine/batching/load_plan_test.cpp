#include "engine/batching/load_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flowfabric/setting.hpp"
#include "unit/engine/batching/batches.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(LoadRequestOf, NamesEveryRowAndKeyOnceInLockOrder) {
    const Batch batch =
        batch_of({keyed_create(3, "b"), complete(running_row(2)), renew(running_row(2)), keyed_create(1, "a"),
                  keyed_create(4, "a"), command_of(Timer::lease_expiry, execution(9))});
    const LoadRequest request = load_request(batch);
    EXPECT_THAT(request.executions, ElementsAre(execution(1), execution(2), execution(3), execution(4), execution(9)));
    EXPECT_THAT(request.idempotency_keys, ElementsAre(IdempotencyKey{"default", "a"}, IdempotencyKey{"default", "b"}));
    EXPECT_THAT(request.claims, IsEmpty());
    EXPECT_FALSE(request.patient);
}

TEST(LoadRequestOf, ReadsTheInputsOfSixtyFourAtMost) {
    std::vector<Given> commands;
    for (std::uint64_t i = 1; i <= 100; ++i) commands.emplace_back(promote(i));
    Batch batch = batch_of(std::move(commands));
    let_wait(batch, claim_by("worker-a", 1));
    EXPECT_EQ(load_request(batch).inputs_of.size(), 64U);
}

TEST(LoadRequestOf, WithNoClaimWaitingNamesNoInput) {
    EXPECT_THAT(load_request(batch_of({promote(1)})).inputs_of, IsEmpty());
    EXPECT_THAT(load_request(batch_of({promote(1)})).signals_of, IsEmpty());
}

std::vector<ExecutionId> missing_in(const Batch& batch, const Loaded& loaded) {
    return missing_executions(batch, load_request(batch), loaded);
}

TEST(MissingExecutions, AreThoseOfUsersCommandsThatNothingHasMade) {
    Loaded loaded = loaded_with({running_row(1)});
    loaded.busy = {execution(2)};
    const auto missing =
        missing_in(batch_of({complete(running_row(1)), complete(running_row(2)), complete(running_row(3)),
                             complete(running_row(3)), create_of(4), complete(running_row(4)),
                             command_of(Timer::lease_expiry, execution(5)), complete(running_row(6)), create_of(6)}),
                   loaded);
    EXPECT_THAT(missing, ElementsAre(execution(3), execution(6)));
}

TEST(MissingExecutions, AreNoneWhenAllAreLoaded) {
    EXPECT_THAT(missing_in(batch_of({complete(running_row(1))}), loaded_with({running_row(1)})), IsEmpty());
}

TEST(RoutesHaveChanged, WithALaneIfAClaimWaits) {
    Batch batch = batch_of({promote(1)});
    Loaded loaded = loaded_with({});
    loaded.lane_revision = batch.lane_revision + 1;
    loaded.setting_revision = batch.setting_revision;
    EXPECT_FALSE(routes_have_changed(batch, loaded));
    let_wait(batch, claim_by("worker-a", 1));
    EXPECT_TRUE(routes_have_changed(batch, loaded));
}

TEST(RoutesHaveChanged, WithASettingUnlessTheCommandsAreAboutTablesAlone) {
    const Batch batch;
    Loaded loaded = loaded_with({});
    loaded.setting_revision = batch.setting_revision + 1;
    loaded.lane_revision = batch.lane_revision;
    EXPECT_FALSE(routes_have_changed(batch_of({SetSetting{.name = "event_retention", .value = "0"}}), loaded));
    EXPECT_TRUE(routes_have_changed(batch_of({promote(1)}), loaded));
}

}  // namespace
}  // namespace flowfabric::test
