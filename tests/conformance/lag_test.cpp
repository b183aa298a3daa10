#include "conformance/api_test.hpp"
#include "runtime/examine.hpp"

namespace flowfabric::test {
namespace {

using enum Finding::Level;
using testing::Each;
using testing::ElementsAre;

class Lag : public StoreTest {
  protected:
    // In the timers' order.
    std::vector<Finding::Level> levels() {
        std::vector<Finding::Level> found;
        for (const Finding& finding : examine_lag(backend())) found.push_back(finding.level);
        return found;
    }
    // One row for each timer, all due in a second.
    void set_all_timers() {
        ExecutionPolicy brief;
        brief.stream_policy.emplace().retention_ttl_ms = 1000;
        create_with(brief);
        value_of(complete(claim().handle));
        value_of(run(SeedWaitpointHmacSecret{"k1", std::string(64, 'a')}));
        Suspend patient;
        create();
        patient.lease = claim().handle;
        patient.waitpoints = {FreshWaitpoint{.waitpoint_id = std::nullopt, .waitpoint_key = "k"}};
        patient.resume_condition.node = Single{"k", Wildcard{}};
        patient.timeout_at_ms = now() + 1000;
        value_of(run(patient));
        Claim lost = claim_by("w1");
        lost.lease_ttl_ms = 1000;
        create();
        claim(lost);
        Claim slow = claim_by("w1");
        slow.attempt_timeout_ms = 1000;
        slow.lease_ttl_ms = 600'000;
        create();
        const auto held = claim(slow);
        value_of(run(CreateWaitpoint{.lease = held.handle, .waitpoint_key = "later", .expires_in_ms = 1000}));
        AppendFrame fleeting{.lease = held.handle, .mode = FrameMode::best_effort};
        fleeting.ttl_ms = 500;
        value_of(run(fleeting));
        create({.delay_until_ms = now() + 1000});
        create({.execution_deadline_at_ms = now() + 1000});
        value_of(run(IssueClaimGrant{
            {.execution_id = create(), .worker_id = "w1", .worker_instance_id = "w1-1", .grant_ttl_ms = 1000}}));
        CreateBudget budget{.reset_interval_ms = 1000};
        budget.budget_id.uuid.bytes[0] = 1;
        value_of(run(budget));
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Lag, all_stores(), name_of_param);

TEST_P(Lag, IsFoundOnceReconcilersShouldHaveComeAndADangerAfterAMinute) {
    set_all_timers();
    advance(1000 + 9'999);
    EXPECT_THAT(levels(), Each(fine));
    advance(1);
    // Retention, of executions and of frames, looks every minute and may come later, and so may the resets of budgets.
    EXPECT_THAT(levels(), ElementsAre(advice, advice, advice, advice, advice, advice, fine, advice, fine, fine));
    advance(49'999);
    EXPECT_THAT(levels(), ElementsAre(advice, advice, advice, advice, advice, advice, fine, advice, advice, fine));
    advance(1);
    EXPECT_THAT(levels(), ElementsAre(danger, danger, danger, danger, danger, danger, fine, danger, advice, fine));
    advance(60'000);
    EXPECT_THAT(levels(), ElementsAre(danger, danger, danger, danger, danger, danger, advice, danger, advice, advice));
    advance(600'000);
    EXPECT_THAT(levels(), Each(danger));
    another_engine({.overrides = {.execution_retention_ms = 86'400'000}})->reconcile();
    EXPECT_THAT(levels(), Each(fine));
}

TEST_P(Lag, NamesTheExecutionThatHasWaitedLongest) {
    create({.delay_until_ms = now() + 2000});
    const auto first = create({.delay_until_ms = now() + 1000});
    create({.delay_until_ms = now() + 3000});
    advance(61'000);
    const Finding finding = examine_lag(backend()).at(1);
    EXPECT_EQ(finding.check, "delayed_promotion lag");
    EXPECT_EQ(finding.detail, first.to_string() + " has been due for 60000 ms");
}

TEST_P(Lag, NamesTheBudgetThatWasNotReset) {
    CreateBudget budget{.reset_interval_ms = 1000};
    budget.budget_id.uuid.bytes[0] = 1;
    value_of(run(budget));
    advance(31'000);
    const auto findings = examine_lag(backend());
    const auto found = std::ranges::find(findings, "budget_reset lag", &Finding::check);
    ASSERT_NE(found, findings.end());
    EXPECT_EQ(found->level, advice);
    EXPECT_EQ(found->detail, budget.budget_id.to_string() + " has been due for 30000 ms");
}

}  // namespace
}  // namespace flowfabric::test
