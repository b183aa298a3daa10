#include "core/base/trace_context.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace flowfabric {
namespace {

const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContextTest, AHeaderIsReadAsTheFirstVersionWritesIt) {
    EXPECT_EQ(read_traceparent(trace), trace);
    EXPECT_EQ(read_traceparent("cc" + trace.substr(2)), trace) << "a version to come";
    EXPECT_EQ(read_traceparent("cc" + trace.substr(2) + "-what comes then"), trace);
    EXPECT_EQ(read_traceparent("cc" + trace.substr(2, 51) + "ff"), trace)
        << "flags that are not known are not passed on";
    EXPECT_EQ(read_traceparent("cc" + trace.substr(2, 51) + "02"), trace.substr(0, 53) + "00");
}

TEST(TraceContextTest, AMalformedHeaderCountsAsNone) {
    const std::string zeros(32, '0');
    const std::vector<std::string> malformed{"",
                                             trace.substr(1),
                                             trace + "-01",
                                             trace + "0",
                                             "ff" + trace.substr(2),
                                             "0g" + trace.substr(2),
                                             "00-" + zeros + trace.substr(35),
                                             trace.substr(0, 36) + zeros.substr(16) + "-01",
                                             trace.substr(0, 53) + "0x",
                                             "00_" + trace.substr(3),
                                             "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                                             "cc" + trace.substr(2) + ".more"};
    for (const std::string& bad : malformed) {
        EXPECT_EQ(read_traceparent(bad), std::nullopt) << bad;
    }
}

TEST(TraceContextTest, ATraceparentIsTakenApart) {
    const auto parts = parts_of_traceparent("cc" + trace.substr(2, 51) + "03-more");
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->trace_id, "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(parts->parent_id, "b7ad6b7169203331");
    EXPECT_TRUE(parts->sampled);
    EXPECT_FALSE(parts_of_traceparent(trace.substr(0, 53) + "02")->sampled);
    EXPECT_FALSE(parts_of_traceparent(trace + "0"));
}

TEST(TraceContextTest, AFieldIsRefusedByItsName) {
    EXPECT_TRUE(check_trace(trace, "shop=1,bank=2"));
    EXPECT_TRUE(check_trace({}, {}));
    EXPECT_TRUE(check_trace("not a trace", {}).error().detail.starts_with("traceparent"));
    EXPECT_TRUE(check_trace("cc" + trace.substr(2), {}).error().detail.starts_with("traceparent"));
    EXPECT_TRUE(check_trace(trace, "").error().detail.starts_with("tracestate"));
    EXPECT_TRUE(check_trace(trace, "a=\n").error().detail.starts_with("tracestate"));
    EXPECT_TRUE(check_trace({}, "shop=1").error().detail.starts_with("tracestate"));
}

}  // namespace
}  // namespace flowfabric
