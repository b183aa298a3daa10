#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flowfabric/ids.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// Which kind of store issued a handle; no other kind accepts it.
enum class BackendTag : std::uint8_t { valkey = 0x01, postgres = 0x02, sqlite = 0x03, memory = 0x04 };

enum class HandleKind : std::uint8_t { fresh, resumed, suspended, reclaimed };

// The token that a worker presents for the life of a lease. Its bytes are opaque to the worker.
struct Handle {
    BackendTag backend = BackendTag::memory;
    HandleKind kind = HandleKind::fresh;
    std::string opaque;

    // A handle as one word: base64url of both tags and the bytes. parse() does not check the bytes; the store that
    // issued the handle does.
    static Result<Handle> parse(std::string_view text);
    std::string to_string() const;

    bool operator==(const Handle&) const = default;
};

// The execution that it is a handle of; fails for a handle that no store has issued.
Result<ExecutionId> execution_of(const Handle& handle);

}  // namespace flowfabric
