#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/result.hpp"

namespace flowfabric {

// An address that events can be sent to: http or https, with a host, without credentials or a fragment.
Result<void> check_webhook_url(std::string_view url);
Result<void> check_webhook_types(const std::vector<std::string>& types);

}  // namespace flowfabric
