#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/settings/setting_row.hpp"
#include "core/signing/random_bytes.hpp"
#include "core/signing/stored_secret.hpp"
#include "flowfabric/handle.hpp"
#include "flowfabric/limits.hpp"

namespace flowfabric {

// What one engine is told when it opens.
struct Settings {
    BackendTag backend = BackendTag::memory;
    std::size_t max_payload_bytes = default_max_payload_bytes;
    // Members that are cancelled in one transaction with their flow; the others are listed, and follow.
    std::uint32_t cancelled_with_flow = 1000;
    std::optional<MasterKey> master_key;  // seals the secrets of signing keys; absent: they are stored as they are
    SettingOverrides overrides;           // of the store's settings, which a batch carries
    Result<Bytes> (*random_bytes)(std::size_t count) = flowfabric::random_bytes;  // for secrets that it mints
};

}  // namespace flowfabric
