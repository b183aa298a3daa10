#include "core/execution_filter.hpp"

#include "core/tags.hpp"

namespace flowfabric {

bool ExecutionFilter::admits(const ExecutionRow& row) const {
    if (namespace_name && row.namespace_name != *namespace_name) return false;
    if (!tag) return true;
    const Tags tags = tags_of(row.tags);
    const auto found = tags.find(tag->first);
    return found != tags.end() && found->second == tag->second;
}

}  // namespace flowfabric
