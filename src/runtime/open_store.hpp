#pragma once

#include <memory>
#include <string_view>

#include "flowfabric/result.hpp"
#include "store/port.hpp"

namespace flowfabric {

// `sqlite:PATH`, `postgres://…` (or `postgresql://…`), `memory:`.
Result<std::shared_ptr<Backend>> open_store(std::string_view url);

bool is_postgres(std::string_view url);

}  // namespace flowfabric
