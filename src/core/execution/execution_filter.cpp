#include "core/execution/execution_filter.hpp"

#include "core/base/tags.hpp"
#include "core/flow/flow_fields.hpp"

namespace flowfabric {

namespace {

bool has_tag(const Json& stored, const std::optional<std::pair<std::string, std::string>>& tag) {
    if (!tag) return true;
    const Tags tags = tags_of(stored);
    const auto found = tags.find(tag->first);
    return found != tags.end() && found->second == tag->second;
}

}  // namespace

bool ExecutionFilter::admits(const ExecutionRow& row) const {
    return (!namespace_name || row.namespace_name == *namespace_name) && has_tag(row.tags, tag);
}

bool ExecutionFilter::admits(const FlowRow& row) const {
    return (!namespace_name || fields_of(row).namespace_name == *namespace_name) && has_tag(row.tags, tag);
}

}  // namespace flowfabric
