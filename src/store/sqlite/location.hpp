#pragma once

#include <string>

namespace flowfabric::sqlite {

// Absolute and without symbolic links, so that every process that opens the file uses the same lock files.
std::string canonical_path(const std::string& path);

// Throws unless the directory exists and lies on a local file system: WAL needs shared memory, the writers' queue
// needs flock, and neither works over a network.
void require_usable_location(const std::string& path);

}  // namespace flowfabric::sqlite
