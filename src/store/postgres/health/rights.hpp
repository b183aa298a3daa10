#pragma once

#include <string>
#include <string_view>

namespace flowfabric::postgres {

// What a role that was refused with this message has to be granted for the statement, as SQL for the owner to run. A
// migration, whose scripts are no statements, is left to the owner.
std::string missing_grants(std::string_view message, std::string_view sql, std::string_view role);

}  // namespace flowfabric::postgres
