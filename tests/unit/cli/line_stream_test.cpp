#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/process/frame_pump.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Lines : public ::testing::Test {
  protected:
    void put(std::string_view bytes) {
        cutter_.put(bytes, [this](std::string line) { lines_.push_back(std::move(line)); });
    }
    void end() {
        cutter_.end([this](std::string line) { lines_.push_back(std::move(line)); });
    }

    LineCutter cutter_;
    std::vector<std::string> lines_;
};

TEST_F(Lines, AreCutBehindTheirNewlinesHoweverTheyCome) {
    put("one\ntw");
    EXPECT_THAT(lines_, ElementsAre("one\n"));
    put("o\n\nla");
    put("st");
    EXPECT_THAT(lines_, ElementsAre("one\n", "two\n", "\n"));
    end();
    EXPECT_EQ(lines_.back(), "last");
    end();
    EXPECT_EQ(lines_.size(), 4U) << "nothing is left";
}

TEST_F(Lines, TogetherAreTheBytesThatCameInPiecesThatFitAFrame) {
    std::string all(2 * max_frame_payload_bytes, 'x');
    all[max_frame_payload_bytes - 1] = '\n';
    all += std::string("\0\377", 2);
    for (std::size_t at = 0; at < all.size(); at += 7'001) put(std::string_view(all).substr(at, 7'001));
    end();
    std::string joined;
    for (const auto& line : lines_) {
        EXPECT_LE(line.size(), max_frame_payload_bytes);
        joined += line;
    }
    EXPECT_EQ(lines_.size(), 3U);
    EXPECT_TRUE(joined == all);
}

TEST_F(Lines, OfNothingAreNone) {
    put("");
    end();
    EXPECT_THAT(lines_, IsEmpty());
}

}  // namespace
}  // namespace flowfabric::cli
