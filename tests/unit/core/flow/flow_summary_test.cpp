#include "core/flow/flow_summary.hpp"

#include <gtest/gtest.h>

#include "core/flow/flow_fields.hpp"
#include "core/flow/flow_retention.hpp"

namespace flowfabric {
namespace {

constexpr std::uint64_t kept_ms = 1000;
constexpr std::int64_t now = 10'000;
constexpr auto day = static_cast<std::int64_t>(day_ms);

FlowPhase phase_with(const MemberCounts& counts, std::uint32_t failing = 0) {
    return derived_phase({.counts = counts, .failing = failing});
}

FlowRow open_flow(std::int64_t members, std::int32_t open, std::int32_t failed = 0) {
    FlowRow row;
    row.raw_fields = json_of(FlowFields{.node_count = members});
    row.open_members = open;
    row.failed_members = failed;
    return row;
}

TEST(FlowSummary, TheStateIsThatOfTheMembers) {
    EXPECT_EQ(phase_with({}), FlowPhase::open);
    EXPECT_EQ(phase_with({.completed = 1, .waiting = 1}), FlowPhase::open);
    EXPECT_EQ(phase_with({.failed = 1, .waiting = 1}), FlowPhase::open) << "not all have ended";
    EXPECT_EQ(phase_with({.active = 1, .suspended = 1, .waiting = 1}), FlowPhase::running);
    EXPECT_EQ(phase_with({.suspended = 1, .waiting = 1}), FlowPhase::blocked);
    EXPECT_EQ(phase_with({.waiting = 1, .delayed = 1}), FlowPhase::blocked);
    EXPECT_EQ(phase_with({.waiting = 1, .rate_limited = 1}), FlowPhase::blocked);
    EXPECT_EQ(phase_with({.waiting = 1, .waiting_children = 1}), FlowPhase::blocked);
    EXPECT_EQ(phase_with({.completed = 1, .skipped = 1}), FlowPhase::completed);
    EXPECT_EQ(phase_with({.completed = 1, .failed = 1}, 1), FlowPhase::failed);
    EXPECT_EQ(phase_with({.completed = 1, .cancelled = 2}, 1), FlowPhase::failed);
    EXPECT_EQ(phase_with({.completed = 1, .cancelled = 2}), FlowPhase::completed);
}

TEST(FlowSummary, AMemberThatWasCancelledAsASiblingFailsNoFlow) {
    using enum CancellationCause;
    EXPECT_TRUE(fails_flow(TerminalOutcome::failed, std::nullopt));
    EXPECT_TRUE(fails_flow(TerminalOutcome::expired, std::nullopt));
    for (const auto cause : {request, flow, timeout}) EXPECT_TRUE(fails_flow(TerminalOutcome::cancelled, cause));
    EXPECT_TRUE(fails_flow(TerminalOutcome::cancelled, std::nullopt));
    EXPECT_FALSE(fails_flow(TerminalOutcome::cancelled, sibling));
    for (const auto outcome : {TerminalOutcome::none, TerminalOutcome::success, TerminalOutcome::skipped}) {
        EXPECT_FALSE(fails_flow(outcome, std::nullopt));
    }
    MemberTally tally;
    tally.add(2, PublicState::cancelled, TerminalOutcome::cancelled, sibling);
    tally.add(3, PublicState::cancelled, TerminalOutcome::cancelled, request);
    EXPECT_EQ(tally.counts.cancelled, 5U);
    EXPECT_EQ(tally.failing, 3U);
}

TEST(FlowSummary, EveryStateIsCountedSomewhere) {
    MemberCounts counts;
    for (std::size_t i = 0; i < enum_names<PublicState>.size(); ++i) ++count_of(counts, static_cast<PublicState>(i));
    EXPECT_EQ(counts.total(), enum_names<PublicState>.size());
    EXPECT_EQ(counts.terminal(), 5U);
    EXPECT_EQ(counts.waiting, 2U) << "a resumable one waits";
}

TEST(FlowSummary, ListsTellTheEndOfAnOpenFlow) {
    EXPECT_EQ(status_of(open_flow(0, 0)), FlowStatus::active);
    EXPECT_EQ(status_of(open_flow(2, 1, 1)), FlowStatus::active);
    EXPECT_EQ(status_of(open_flow(2, 0)), FlowStatus::completed);
    EXPECT_EQ(status_of(open_flow(2, 0, 1)), FlowStatus::failed);
    FlowRow cancelled = open_flow(2, 1);
    cancelled.public_flow_state = FlowState::cancelled;
    EXPECT_EQ(status_of(cancelled), FlowStatus::cancelled);
}

TEST(FlowSummary, AsManyFlowsAreCountedAsHaveNotTooManyMembers) {
    EXPECT_TRUE(countable({}).empty());
    EXPECT_EQ(countable({open_flow(1'000'000, 1), open_flow(1, 1)}).size(), 1U);
    EXPECT_EQ(countable({open_flow(30'000, 1), open_flow(20'000, 1), open_flow(1, 1)}).size(), 2U);
    EXPECT_EQ(countable({open_flow(10, 1), open_flow(0, 0), open_flow(1, 1)}).size(), 3U);
}

TEST(FlowRemovalTime, IsThatOfTheLastMember) {
    const FlowTally ended{open_flow(2, 0), {.counts = {.completed = 2}, .last_end_ms = 5000}};
    EXPECT_EQ(removal_time(ended, kept_ms, now), 6000);
    EXPECT_EQ(removal_time(ended, 0, now), std::nullopt);

    FlowTally with_own = ended;
    with_own.members.kept_until_ms = 5500;
    EXPECT_EQ(removal_time(with_own, kept_ms, now), 6000);
    with_own.members.kept_until_ms = 7000;
    EXPECT_EQ(removal_time(with_own, kept_ms, now), 7000);
    EXPECT_EQ(removal_time(with_own, 0, now), std::nullopt) << "the other one is kept";
    with_own.members.last_end_ms.reset();
    EXPECT_EQ(removal_time(with_own, 0, now), 7000);
    with_own.members.kept_for_ever = true;
    EXPECT_EQ(removal_time(with_own, kept_ms, now), std::nullopt);
}

TEST(FlowRemovalTime, IsPutOffWhileAMemberLivesOrItsEndIsOnItsWay) {
    const FlowTally live{open_flow(2, 1), {.counts = {.completed = 1, .waiting = 1}, .last_end_ms = 5000}};
    EXPECT_EQ(removal_time(live, kept_ms, now), now + 1000);
    EXPECT_EQ(removal_time(live, 0, now), now + day) << "the setting may change before its members end";
    const FlowTally on_its_way{open_flow(2, 1), {.counts = {.completed = 2}, .last_end_ms = 5000}};
    EXPECT_EQ(removal_time(on_its_way, kept_ms, now), now + 60'000);
}

TEST(FlowRemovalTime, OfAFlowWithoutMembersCountsFromTheLastChange) {
    FlowTally empty{open_flow(0, 0), {}};
    empty.row.created_at_ms = 3000;
    EXPECT_EQ(removal_time(empty, kept_ms, now), 4000);
    empty.row.raw_fields = json_of(FlowFields{.last_mutation_at_ms = 8000});
    EXPECT_EQ(removal_time(empty, kept_ms, now), 9000);
    EXPECT_EQ(removal_time(empty, 0, now), now + day) << "no member leads to it when the setting changes";
    EXPECT_EQ(removal_time(empty, 7 * day_ms, now), now + day);
}

}  // namespace
}  // namespace flowfabric
