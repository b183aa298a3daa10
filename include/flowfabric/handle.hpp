#pragma once

#include <cstdint>
#include <string>

namespace flowfabric {

// Which kind of store issued a handle; no other kind accepts it.
enum class BackendTag : std::uint8_t { valkey = 0x01, postgres = 0x02, sqlite = 0x03, memory = 0x04 };

enum class HandleKind : std::uint8_t { fresh, resumed, suspended, reclaimed };

// The cookie that a worker carries for the life of a lease. The bytes are opaque to it.
struct Handle {
    BackendTag backend = BackendTag::memory;
    HandleKind kind = HandleKind::fresh;
    std::string opaque;

    bool operator==(const Handle&) const = default;
};

}  // namespace flowfabric
