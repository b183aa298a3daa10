#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/command/command.hpp"

// What the doors of all commands check alike.
namespace flowfabric {

// Runs the checks in order and stops at the first refusal.
class Checks {
  public:
    Checks& operator()(Result<void> checked) {
        if (!fault_ && !checked) fault_ = std::move(checked).error();
        return *this;
    }
    Checks& require(bool holds, std::string_view field, std::string_view reason) {
        if (!fault_ && !holds) fault_ = invalid_input(field, reason);
        return *this;
    }
    const std::optional<EngineError>& fault() const { return fault_; }

  private:
    std::optional<EngineError> fault_;
};

// Whether the number that a caller gives is one of the enum's.
template <class E>
bool is_known(E value) {
    return static_cast<std::size_t>(value) < enum_names<E>.size();
}

Result<void> check_partition(std::string_view field, std::uint16_t partition);
Result<void> check_partition(const ExecutionId& id);
Result<void> check_payload(std::string_view field, const Bytes& bytes, std::size_t limit);
Result<void> check_range(std::string_view field, std::uint64_t number, std::uint64_t min, std::uint64_t max);
// The limits of a lease, which hold for other lifetimes as well.
Result<void> check_ttl(std::uint64_t ttl_ms, std::string_view field = "lease_ttl_ms");

}  // namespace flowfabric
