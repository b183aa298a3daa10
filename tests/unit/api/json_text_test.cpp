#include "api/json_text.hpp"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>

namespace flowfabric::api {
namespace {

TEST(JsonText, ShowsNumbersPlainly) {
    EXPECT_EQ(json_text(40.181), "40.181");
    EXPECT_EQ(json_text(0.001), "0.001");
    EXPECT_EQ(json_text(-1234567.5), "-1234567.5");
    EXPECT_EQ(json_text(23100.0), "23100");
    EXPECT_EQ(json_text(0.0), "0");
    EXPECT_EQ(json_text(std::int64_t{-7}), "-7");
    EXPECT_EQ(json_text(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonText, KeepsEveryNumberThatJsonHas) {
    using Limits = std::numeric_limits<double>;
    for (const double number : {Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(), 1e16, 1e300, 1e-5,
                                1e-300, 0.1 + 0.2, -0.0}) {
        const std::string text = json_text(number);
        EXPECT_EQ(boost::json::parse(text).to_number<double>(), number) << text;
    }
    EXPECT_EQ(json_text(Limits::infinity()), "null");
    EXPECT_EQ(json_text(Limits::quiet_NaN()), "null");
}

TEST(JsonText, IsTheValueOnOneLine) {
    constexpr auto text =
        R"({"a":[1,2.5,[],{}],"b\n\"":{"c":null,"d":true},"e":"\u0001 \\ text","f":[[0.5],{"g":-0.25}]})";
    EXPECT_EQ(json_text(boost::json::parse(text)), text);
}

}  // namespace
}  // namespace flowfabric::api
