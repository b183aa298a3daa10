#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "cli/command_table.hpp"
#include "flowfabric/handle.hpp"

// What a program that `ff worker` runs says about its task.
namespace flowfabric::cli {

void add_task_outcomes(CommandTable& table, CLI::App& task);
void add_task_frame(CommandTable& table, CLI::App& task);
void add_task_progress(CommandTable& table, CLI::App& task);
void add_task_signals(CommandTable& table, CLI::App& task);

// The lease of the program that this process runs in.
Result<Handle> lease_of_task();

// What holds when the program ends with status 0.
Result<void> tell_worker(const boost::json::object& outcome);

}  // namespace flowfabric::cli
