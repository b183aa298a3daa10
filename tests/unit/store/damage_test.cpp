#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/sound_rows.hpp"

namespace flowfabric {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(DamageLogTest, TellsOfEachDamageOnce) {
    DamageLog log;
    std::vector<Damage> told;
    log.listen([&](const Damage& damage) { told.push_back(damage); });
    const Damage phase{"ff_exec_core", "{f:1}:a", "column lifecycle_phase"};
    const Damage other_row{"ff_exec_core", "{f:1}:b", "column lifecycle_phase"};
    const Damage changed{"ff_exec_core", "{f:1}:a", "column public_state"};
    for (int i = 0; i < 3; ++i) {
        log.report(phase);
        log.report(other_row);
    }
    EXPECT_THAT(told, ElementsAre(phase, other_row));
    log.report(changed);
    EXPECT_THAT(told, SizeIs(3));
}

// Rows 0, 1, 2 … of which the odd ones are damaged.
Sight<int> first_of(int total, std::int64_t asked) {
    Sight<int> sight;
    for (; std::cmp_less(sight.seen, asked) && std::cmp_less(sight.seen, total); ++sight.seen) {
        const int row = static_cast<int>(sight.seen);
        if (row % 2 == 0) sight.rows.push_back(row);
    }
    return sight;
}

TEST(WholePageTest, IsShortOnlyWhereTheRowsEnd) {
    const auto page = [](std::uint32_t limit, int total) {
        return whole_page(limit, [&](std::int64_t asked) { return first_of(total, asked); });
    };
    EXPECT_THAT(page(4, 100), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(page(4, 6), ElementsAre(0, 2, 4));
    EXPECT_THAT(page(4, 8), ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(page(1, 1), ElementsAre(0));
    EXPECT_TRUE(page(4, 0).empty());
    EXPECT_TRUE(page(0, 100).empty());
}

TEST(JudgeRowsTest, NamesTheFirstFewThatCannotBeRead) {
    EXPECT_EQ(judge_rows(7, {}).level, Finding::Level::fine);
    const Finding finding = judge_rows(20, std::vector(12, Damage{"ff_edge", "1 2", "column generation"}));
    EXPECT_EQ(finding.level, Finding::Level::danger);
    EXPECT_THAT(finding.detail, HasSubstr("12 of 20 rows cannot be read: ff_edge 1 2: column generation"));
    EXPECT_THAT(finding.detail, HasSubstr("and more"));
}

}  // namespace
}  // namespace flowfabric
