#include "core/suspension/accepted_signals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/core/fixtures.hpp"

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto last = static_cast<std::int32_t>(max_given_signals);

class AcceptedSignals : public ::testing::Test {
  protected:
    AcceptedSignals() { row.signal_count = 1; }

    void load(std::int32_t seq, std::size_t payload_bytes, std::int32_t replay_count = 0, bool satisfied = false) {
        set.side.of<SignalRow>().load({.key = {row.id, seq},
                                       .signal_name = std::to_string(seq),
                                       .satisfied = satisfied,
                                       .replay_count = replay_count});
        set.side.of<SignalPayloadRow>().load({.key = {row.id, seq}, .payload = {Bytes(payload_bytes, 'x')}});
    }
    static std::vector<std::string> names(const GivenSignals& given) {
        std::vector<std::string> found;
        for (const ResumeSignal& signal : given.signals) found.push_back(signal.signal_name);
        return found;
    }

    WorkingSet set;
    ExecutionRow row = waiting_row();
};

TEST_F(AcceptedSignals, OfThePresentRunAreGivenInOrder) {
    row.replay_count = 1;
    load(2, 1, 1);
    load(1, 1, 1);
    load(0, 1, 0);
    set.side.of<SignalRow>().load({.key = {execution(2), 0}, .replay_count = 1});
    const GivenSignals given = signals_of_run(set, row);
    EXPECT_THAT(names(given), ElementsAre("1", "2"));
    EXPECT_EQ(given.signals[0].payload, "x");
    EXPECT_FALSE(given.more);
}

TEST_F(AcceptedSignals, AreGivenUpToALimitAndTheAnswerSaysSo) {
    for (std::int32_t seq = 0; seq < last; ++seq) load(seq, 0);
    EXPECT_THAT(signals_of_run(set, row).signals, SizeIs(max_given_signals));
    EXPECT_FALSE(signals_of_run(set, row).more);
    load(last, 0);
    EXPECT_THAT(signals_of_run(set, row).signals, SizeIs(max_given_signals));
    EXPECT_TRUE(signals_of_run(set, row).more);
}

TEST_F(AcceptedSignals, AreGivenUpToALimitOfTheirPayloads) {
    load(0, max_given_signal_bytes - 1);
    load(1, 1);
    EXPECT_THAT(names(signals_of_run(set, row)), ElementsAre("0", "1")) << "the limit itself is not too much";
    load(2, 1);
    load(3, 0);
    EXPECT_THAT(names(signals_of_run(set, row)), ElementsAre("0", "1")) << "none behind one that is left out";
    EXPECT_TRUE(signals_of_run(set, row).more);
}

TEST_F(AcceptedSignals, ThatSatisfiedAreNotLeftOutForOthers) {
    for (std::int32_t seq = 0; seq < last; ++seq) load(seq, max_given_signal_bytes / 8);
    load(last, max_given_signal_bytes / 2, 0, true);
    const GivenSignals given = signals_of_run(set, row);
    EXPECT_THAT(names(given), ElementsAre("0", "1", "2", "3", std::to_string(last))) << "in order of acceptance";
    EXPECT_TRUE(given.more);
}

TEST_F(AcceptedSignals, ThatSatisfiedAreAmongTheNumbersToGive) {
    std::vector<std::int32_t> seqs(2 * max_given_signals);
    std::iota(seqs.begin(), seqs.end(), 0);
    const std::vector<std::int32_t> few(seqs.begin(), seqs.begin() + last);
    EXPECT_EQ(seqs_to_give(few, std::vector{5}), few);
    const auto chosen = seqs_to_give(seqs, std::vector{2 * last - 1});
    EXPECT_THAT(chosen, SizeIs(max_given_signals + 1));
    EXPECT_TRUE(std::ranges::is_sorted(chosen));
    EXPECT_EQ(chosen.back(), 2 * last - 1);
}

TEST_F(AcceptedSignals, AreNotLookedForWhereThereAreNone) {
    load(0, 1);
    row.signal_count = 0;
    EXPECT_THAT(signals_of_run(set, row).signals, IsEmpty());
}

TEST_F(AcceptedSignals, AreGivenByTheirNumbers) {
    for (const std::int32_t seq : {0, 1, 2}) load(seq, 1);
    EXPECT_THAT(names(signals_with(std::vector{0, 2, 7}, set, row.id)), ElementsAre("0", "2"));
}

}  // namespace
}  // namespace flowfabric::test
