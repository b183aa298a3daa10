#include "flowfabric/json_fault.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flowfabric/condition.hpp"
#include "flowfabric/policy.hpp"

namespace flowfabric::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(JsonFault, IsNoneInAWellFormedText) {
    EXPECT_EQ(json_fault("{\"a\": [1, 2]}\n"), "");
}

TEST(JsonFault, HasTheLineAndTheColumn) {
    EXPECT_THAT(json_fault("{\n  \"a\": 1,\n  oops\n}"), StartsWith("line 3, column 3: "));
    EXPECT_THAT(json_fault("{\n  \"a\": 1\n"), StartsWith("line 3, column 1: "));
}

TEST(JsonFault, HasOnlyTheColumnInOneLine) {
    EXPECT_THAT(json_fault("{\"a\": oops}"), StartsWith("column 7: "));
    EXPECT_THAT(json_fault("{} {}"), StartsWith("column 4: "));
    EXPECT_THAT(json_fault(""), StartsWith("column 1: "));
}

TEST(JsonFault, CountsCharactersAndNotBytes) {
    EXPECT_THAT(json_fault("{\"stra\u00dfe\": oops}"), StartsWith("column 12: "));
}

TEST(JsonFault, IsInTheErrorOfAPolicyAndOfACondition) {
    EXPECT_THAT(ExecutionPolicy::parse("{\"priority\": }").error().detail, HasSubstr("column 14: "));
    EXPECT_THAT(ResumeCondition::parse("{\n\"Single\": }").error().detail, HasSubstr("line 2, column 11: "));
}

}  // namespace
}  // namespace flowfabric::test
