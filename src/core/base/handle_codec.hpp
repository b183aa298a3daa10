#pragma once

#include <cstdint>
#include <string>

#include "flowfabric/handle.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// What a handle's opaque bytes say.
struct HandleContent {
    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;
    AttemptId attempt_id;
    LeaseId lease_id;
    std::uint64_t lease_epoch = 0;
    std::uint64_t lease_ttl_ms = 0;
    std::string lane_id;
    std::string worker_instance_id;

    bool operator==(const HandleContent&) const = default;
};

Handle encode_handle(BackendTag backend, HandleKind kind, const HandleContent& content);

// Fails with corruption, or with handle_from_other_backend when either tag is not `expected`.
Result<HandleContent> decode_handle(const Handle& handle, BackendTag expected);

}  // namespace flowfabric
