#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "cli/commands.hpp"
#include "cli/text/json_fields.hpp"
#include "flowfabric/engine.hpp"

// From what was asked for on the command line, or on a line of a file, to the engine's command and its answer.
namespace flowfabric::cli {

// The options with the payload and the policy as texts, read from where the arguments said.
Result<SubmitOptions> read_texts(SubmitOptions options);

// The options that a line of JSON adds to the defaults; its texts are taken as they stand, so it cannot name files.
Result<SubmitOptions> parse_submission(std::string_view line, SubmitOptions defaults);

// One field of such a line.
Complaint read_submission_field(std::string_view name, const boost::json::value& value, SubmitOptions& options);

// Expects the payload and the policy as texts.
Result<CreateExecution> command_of(const SubmitOptions& options);

// {"id": …, "state": …, "duplicate": …}
Result<boost::json::object> json_of(Engine& engine, const Created& created);

}  // namespace flowfabric::cli
