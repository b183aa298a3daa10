#include "core/worker/worker_mode.hpp"

#include <algorithm>

#include "core/base/partition.hpp"

namespace flowfabric {

WorkerModeKey worker_mode_key(WorkerScope scope, const std::string& namespace_name, const std::string& name) {
    return {worker_partition(name), namespace_name, scope, name};
}

void name_modes(NamedRows& rows, const std::string& namespace_name, const std::string& worker_id,
                const std::string& worker_instance_id) {
    auto& keys = rows.side.of<WorkerModeRow>().keys;
    keys.push_back(worker_mode_key(WorkerScope::worker, namespace_name, worker_id));
    keys.push_back(worker_mode_key(WorkerScope::instance, namespace_name, worker_instance_id));
}

WorkerMode mode_of(const WorkingSet& set, const std::string& namespace_name, const std::string& worker_id,
                   const std::string& worker_instance_id) {
    const auto asked = [&](WorkerScope scope, const std::string& name) {
        const auto* row = set.side.of<WorkerModeRow>().find(worker_mode_key(scope, namespace_name, name));
        return row == nullptr ? WorkerMode::run : row->mode;
    };
    return std::max(asked(WorkerScope::worker, worker_id), asked(WorkerScope::instance, worker_instance_id));
}

}  // namespace flowfabric
