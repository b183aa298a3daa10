#include "store/migration.hpp"

#include <algorithm>

namespace flowfabric {

std::string label_of(const Migration& migration) {
    std::string number = std::to_string(migration.version);
    number.insert(0, 4 - std::min<std::size_t>(number.size(), 4), '0');
    return number.append("_").append(migration.name);
}

}  // namespace flowfabric
