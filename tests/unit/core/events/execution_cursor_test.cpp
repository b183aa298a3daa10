#include "core/events/execution_cursor.hpp"

#include <gtest/gtest.h>

namespace flowfabric {
namespace {

TEST(ExecutionCursor, TellsThePositionOnEveryChannel) {
    const ChannelPositions positions{1, 1LL << 40, 0, 77};
    EXPECT_EQ(*parse_execution_cursor(cursor_at(positions)), positions);
}

TEST(ExecutionCursor, IsNoneOfOneChannelNorOneThatIsCutOff) {
    const Bytes whole = cursor_at(ChannelPositions{1, 2, 3, 4});
    for (const Bytes& other : {Bytes{}, cursor_at(std::int64_t{5}), whole.substr(1), whole + whole.back(),
                               cursor_at(ChannelPositions{1, -2, 3, 4})}) {
        EXPECT_FALSE(parse_execution_cursor(other));
    }
}

}  // namespace
}  // namespace flowfabric
