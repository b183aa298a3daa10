#pragma once

#include <optional>

#include "core/signing/stored_secret.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric {

Result<std::optional<MasterKey>> master_key_of(const EngineOptions& options);

// Installs a generated key if the store has none, and says so in the log.
Result<void> ensure_signing_key(Engine& engine);

}  // namespace flowfabric
