#include "store/postgres/health/rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowfabric::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(MissingGrants, NameTheTableAndWhatTheStatementDoes) {
    EXPECT_THAT(missing_grants("permission denied for table ff_exec_core", "SELECT 1 FROM ff_exec_core", "ada"),
                AllOf(HasSubstr("GRANT SELECT ON TABLE ff_exec_core TO \"ada\""), HasSubstr("ff_reader")));
    EXPECT_THAT(missing_grants("permission denied for table ff_attempt",
                               "WITH gone AS (DELETE FROM ff_attempt) INSERT INTO ff_attempt", "ada"),
                AllOf(HasSubstr("GRANT SELECT, INSERT, DELETE ON TABLE ff_attempt TO"), Not(HasSubstr("ff_reader"))));
    EXPECT_THAT(
        missing_grants("permission denied for table ff_lane_registry", "SELECT 1 FOR UPDATE SKIP LOCKED", "ada"),
        HasSubstr("GRANT SELECT, UPDATE ON TABLE ff_lane_registry TO"));
}

TEST(MissingGrants, NameSequencesFunctionsAndSchemas) {
    EXPECT_THAT(missing_grants("permission denied for sequence s", "SELECT nextval", "ada"),
                HasSubstr("GRANT USAGE, SELECT ON SEQUENCE s TO"));
    EXPECT_THAT(missing_grants("permission denied for function f", "SELECT f()", "ada"),
                HasSubstr("GRANT EXECUTE ON FUNCTION f TO"));
    EXPECT_THAT(missing_grants("permission denied for schema public", "SELECT 1", "ada"),
                HasSubstr("GRANT USAGE ON SCHEMA public TO"));
}

TEST(MissingGrants, LeaveAMigrationToTheOwner) {
    for (const char* sql : {"", "CREATE TABLE IF NOT EXISTS t ()"}) {
        EXPECT_EQ(missing_grants("permission denied for schema public", sql, "ada"),
                  "; run `ff migrate` as the schema's owner");
    }
}

TEST(MissingGrants, NameOnlyTheRoleWhenTheMessageIsForeign) {
    EXPECT_EQ(missing_grants("keine Berechtigung", "UPDATE t SET a = 1", "a\"b"),
              "; as the owner run `ff migrate --roles` and GRANT ff_worker TO \"a\"\"b\"");
}

}  // namespace
}  // namespace flowfabric::postgres
