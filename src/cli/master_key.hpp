#pragma once

#include <optional>
#include <string>

#include "flowfabric/result.hpp"

namespace flowfabric::cli {

inline constexpr const char* master_key_variable = "FF_MASTER_KEY";
inline constexpr const char* master_key_file_variable = "FF_MASTER_KEY_FILE";

// What FF_MASTER_KEY holds, or the file that FF_MASTER_KEY_FILE names; nothing when neither is set. An error names the
// variable, never the key.
Result<std::optional<std::string>> master_key_of_environment();

}  // namespace flowfabric::cli
