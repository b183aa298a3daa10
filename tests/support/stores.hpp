#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/clock.hpp"
#include "store/memory/backend.hpp"
#include "store/port.hpp"

// The parameter of every suite that must pass on each store.
namespace flowfabric::test {

enum class StoreKind : std::uint8_t { memory, sqlite, postgres };

inline auto all_stores() {
    return ::testing::Values(StoreKind::memory, StoreKind::sqlite, StoreKind::postgres);
}
std::string_view name_of(StoreKind kind);
std::string name_of_param(const ::testing::TestParamInfo<StoreKind>& info);
void PrintTo(StoreKind kind, std::ostream* out);

// FF_TEST_POSTGRES names the server that PostgreSQL tests may create databases on, as a superuser.
struct Availability {
    bool available = true;
    bool required = false;  // CI or FF_REQUIRE_POSTGRES is set: a missing store is a failure, not a skipped test
    std::string message;
};
Availability availability_of(StoreKind kind);

inline constexpr std::int64_t start_of_time_ms = 1'700'000'000'000;

// A migrated, empty store with a settable clock; gone with this object.
class TestStore {
  public:
    explicit TestStore(StoreKind kind, memory::FaultInjector faults = {});
    ~TestStore();
    TestStore(const TestStore&) = delete;
    TestStore& operator=(const TestStore&) = delete;

    StoreKind kind() const { return kind_; }
    const std::shared_ptr<Backend>& backend() const { return backend_; }
    TestClock& clock() { return *clock_; }

  private:
    StoreKind kind_;
    std::shared_ptr<TestClock> clock_ = std::make_shared<TestClock>(start_of_time_ms);
    std::shared_ptr<Backend> backend_;
    std::function<void()> remove_;
};

}  // namespace flowfabric::test
