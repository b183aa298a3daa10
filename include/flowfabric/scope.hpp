#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "flowfabric/state.hpp"

namespace flowfabric {

// What a caller of the API may do. Every route asks for one; `admin` includes all others.
enum class Scope : std::uint8_t { read, submit, worker, signal, admin };

template <>
inline constexpr std::array enum_names<Scope> =
    std::to_array<std::string_view>({"read", "submit", "worker", "signal", "admin"});

}  // namespace flowfabric
