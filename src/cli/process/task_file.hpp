#pragma once

#include <optional>
#include <string>

#include "flowfabric/handle.hpp"
#include "sdk/worker.hpp"

namespace flowfabric::cli {

// The file in which a program says how its task goes on: {"outcome": "complete"|"fail"|"delay"|"suspend", …} with the
// fields of that operation except the lease. `ff task` writes it. It is gone with this object.
class TaskFile {
  public:
    TaskFile();
    ~TaskFile();
    TaskFile(const TaskFile&) = delete;
    TaskFile& operator=(const TaskFile&) = delete;

    const std::string& path() const { return path_; }
    // Nothing: the program has said nothing. What cannot be read fails the task for good.
    std::optional<sdk::TaskOutcome> outcome(const Handle& lease) const;

  private:
    std::string path_;
};

// What a program has written, as the outcome of the task with this lease.
Result<sdk::TaskOutcome> parse_task_outcome(const std::string& text, const Handle& lease);

}  // namespace flowfabric::cli
