#include "runtime/hub/store_health.hpp"

#include <gmock/gmock.h>

namespace flowfabric::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StoreHealthTest : public testing::Test {
  protected:
    StoreHealthTest() {
        health.log_to({[this](const std::string& text) { lines.push_back("warning: " + text); },
                       [this](const std::string& text) { lines.push_back("info: " + text); }});
    }

    static StoreError fault(StoreFault kind) { return {kind, "detail", {}}; }

    StoreHealth health;
    std::vector<std::string> lines;
};

TEST_F(StoreHealthTest, ALostConnectionIsToldOnceAndOnceWhenItIsBack) {
    for (int i = 0; i < 17; ++i) EXPECT_TRUE(health.on_fault(fault(StoreFault::connection)));
    EXPECT_TRUE(health.on_fault(fault(StoreFault::unknown_outcome)));
    health.on_read();
    health.on_read();
    EXPECT_THAT(lines, ElementsAre(HasSubstr("warning: the connection to the store is lost"), HasSubstr("info: ")));
}

TEST_F(StoreHealthTest, AFaultThatComesAndGoesIsNotToldEachTime) {
    for (int i = 0; i < 100; ++i) {
        health.on_fault(fault(StoreFault::connection));
        health.on_read();
    }
    EXPECT_EQ(lines.size(), 2U);
}

TEST_F(StoreHealthTest, AnEngineThatEndsSaysNothingOfTheConnectionsThatItBreaks) {
    health.mute();
    health.on_fault(fault(StoreFault::connection));
    EXPECT_TRUE(lines.empty());
}

TEST_F(StoreHealthTest, AFullDiskIsNotOverWhenSomethingWasRead) {
    health.on_fault(fault(StoreFault::exhausted));
    health.on_read();
    EXPECT_EQ(lines.size(), 1U);
    health.on_write();
    EXPECT_THAT(lines, ElementsAre(HasSubstr("out of space"), HasSubstr("works again")));
}

TEST_F(StoreHealthTest, AStoreThatRefusesWritesDoesNotWorkAgainBecauseItCanBeRead) {
    health.on_fault(fault(StoreFault::unavailable));
    health.on_read();
    EXPECT_EQ(lines.size(), 1U);
    health.on_write();
    EXPECT_THAT(lines, ElementsAre(HasSubstr("cannot be used"), HasSubstr("works again")));
}

TEST_F(StoreHealthTest, WhatIsNotTheStoresFaultIsTheCallersToTell) {
    EXPECT_FALSE(health.on_fault(fault(StoreFault::contention)));
    EXPECT_FALSE(health.on_fault(fault(StoreFault::data)));
    EXPECT_TRUE(lines.empty());
}

}  // namespace
}  // namespace flowfabric::test
