#pragma once

#include <string_view>

// Lines for an operator at night, on stderr: what failed, which id, what happens next.
namespace flowfabric {

void log_info(std::string_view text);
void log_warning(std::string_view text);
void log_error(std::string_view text);

}  // namespace flowfabric
