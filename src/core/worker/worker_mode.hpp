#pragma once

#include <string>

#include "core/command/named_rows.hpp"
#include "core/rows/working_set.hpp"

// What operators ask of workers. The stricter holds of what is asked of the worker and of the process.
namespace flowfabric {

WorkerModeKey worker_mode_key(WorkerScope scope, const std::string& namespace_name, const std::string& name);

// The rows that mode_of() reads.
void name_modes(NamedRows& rows, const std::string& namespace_name, const std::string& worker_id,
                const std::string& worker_instance_id);
WorkerMode mode_of(const WorkingSet& set, const std::string& namespace_name, const std::string& worker_id,
                   const std::string& worker_instance_id);

}  // namespace flowfabric
