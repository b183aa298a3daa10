#pragma once

#include <string_view>

namespace flowfabric::api {

// A body that the operation's first route takes, in JSON; empty: there is none.
std::string_view example_of(std::string_view operation);

}  // namespace flowfabric::api
