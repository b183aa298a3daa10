#include "core/command/command.hpp"

namespace flowfabric {

std::string CommandBody::subject() const {
    return executions().empty() ? std::string(traits().name) : executions().front().to_string();
}

}  // namespace flowfabric
