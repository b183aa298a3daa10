#pragma once

#include <string_view>

#include "cli/commands.hpp"
#include "flowfabric/execution.hpp"

// Turns the arguments of a command line, or a line of a file, into a creation.
namespace flowfabric::cli {

inline constexpr std::string_view creator_identity = "ff";

// The options with the payload and the policy as texts, read from where the arguments said.
Result<SubmitOptions> read_texts(SubmitOptions options);

// Expects the payload and the policy as texts.
Result<CreateExecution> command_of(const SubmitOptions& options);

// A line of JSON with the fields of CreateExecution; what it leaves out is as in the defaults.
Result<CreateExecution> parse_submission(std::string_view line, CreateExecution defaults);

}  // namespace flowfabric::cli
