#include "core/execution/fields.hpp"

#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using Fields = std::map<std::string, std::optional<std::string>>;

TEST(Fields, EveryColumnHasItsName) {
    ExecutionRow row = test::running_row();
    std::vector<std::string> names;
    visit_execution_columns(row, [&](std::string_view name, const auto&, ColumnUse) { names.emplace_back(name); });
    const Fields fields = fields_of(row, names);
    EXPECT_EQ(fields.size(), names.size());
    EXPECT_EQ(fields.at("partition_key"), "86");
    EXPECT_EQ(fields.at("execution_id"), row.id.uuid.to_string());
    EXPECT_EQ(fields.at("lease_id"), row.lease_id->to_string());
    EXPECT_EQ(fields.at("lease_epoch"), "1");
    EXPECT_EQ(fields.at("lifecycle_phase"), "active");
    EXPECT_EQ(fields.at("attempt_type"), "initial");
    EXPECT_EQ(fields.at("deps_blocked"), "false");
    EXPECT_EQ(fields.at("tags"), "{}");
    EXPECT_EQ(fields.at("created_at_ms"), std::to_string(test::created_at));
    EXPECT_EQ(fields.at("worker_id"), "worker-a");
}

TEST(Fields, CapabilitiesAreOneText) {
    ExecutionRow row = test::waiting_row();
    EXPECT_EQ(fields_of(row, {"required_capabilities"}), (Fields{{"required_capabilities", ""}}));
    row.required_capabilities = {"eu", "gpu"};
    EXPECT_EQ(fields_of(row, {"required_capabilities"}), (Fields{{"required_capabilities", "eu,gpu"}}));
}

TEST(Fields, AliasesNameTheSameColumns) {
    ExecutionRow row = test::waiting_row();
    row.attempt_index = 3;
    row.terminal_at_ms = 77;
    row.cancellation_reason = "too late";
    EXPECT_EQ(fields_of(row, {"current_attempt_index", "completed_at", "cancel_reason"}),
              (Fields{{"cancel_reason", "too late"}, {"completed_at", "77"}, {"current_attempt_index", "3"}}));
}

TEST(Fields, WhatIsUnknownOrAbsentIsNothing) {
    const ExecutionRow row = test::waiting_row();
    EXPECT_EQ(fields_of(row, {"lease_id", "nonsense", "", "lease_id"}),
              (Fields{{"", std::nullopt}, {"lease_id", std::nullopt}, {"nonsense", std::nullopt}}));
    EXPECT_EQ(fields_of(row, {}), Fields{});
}

}  // namespace
}  // namespace flowfabric
