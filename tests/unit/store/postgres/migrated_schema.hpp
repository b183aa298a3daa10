#pragma once

#include <optional>

#include "store/postgres/backend.hpp"
#include "support/stores.hpp"
#include "unit/store/postgres/raw_schema.hpp"

namespace flowfabric::test {

// An up-to-date schema.
class MigratedSchema : public testing::Test {
  protected:
    void SetUp() override {
        const Availability postgres = availability_of(StoreKind::postgres);
        if (!postgres.available) {
            if (postgres.required) FAIL() << postgres.message;
            GTEST_SKIP() << postgres.message;
        }
        schema.emplace();
        const auto migrated = postgres::make_backend({.url = schema->url()})->migrate();
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }

    std::optional<RawSchema> schema;
};

}  // namespace flowfabric::test
