#pragma once

#include <string_view>

#include "flowfabric/ids.hpp"

namespace flowfabric {

// The id of what a request makes under its idempotency key; `kind` keeps what is made of different kinds apart.
Uuid id_under_key(std::string_view kind, std::string_view namespace_name, std::string_view idempotency_key);

}  // namespace flowfabric
