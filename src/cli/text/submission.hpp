#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/execution.hpp"

// Turns the arguments of a command line, or a line of a file, into a creation.
namespace flowfabric::cli {

struct SubmitOptions {
    std::optional<std::string> id;
    std::string namespace_name = "default";
    std::string lane = "default";
    std::string kind;
    std::string payload;
    std::optional<std::string> payload_encoding;
    std::int32_t priority = 0;
    std::chrono::milliseconds delay{0};
    std::optional<std::chrono::milliseconds> deadline;
    std::string idempotency_key;
    std::optional<std::uint32_t> max_retries;
    std::optional<std::chrono::milliseconds> retry_delay;
    std::vector<std::string> capabilities;
    Tags tags;
    std::optional<std::string> policy;
    std::optional<std::string> many;  // a file of submissions, - for standard input; the others are then defaults
};

inline constexpr std::string_view creator_identity = "ff";

// The options with the payload and the policy as texts, read from where the arguments said.
Result<SubmitOptions> read_texts(SubmitOptions options);

// Expects the payload and the policy as texts.
Result<CreateExecution> command_of(const SubmitOptions& options);

// A line of JSON with the fields of CreateExecution; what it leaves out is as in the defaults.
Result<CreateExecution> parse_submission(std::string_view line, CreateExecution defaults);

}  // namespace flowfabric::cli
