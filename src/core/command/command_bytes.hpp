#pragma once

#include <cstddef>

#include "core/command/command.hpp"

namespace flowfabric {

// About how much memory a command takes until it is answered, with all that its caller put into it.
std::size_t bytes_of(const Command& command);

}  // namespace flowfabric
