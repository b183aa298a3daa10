#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/values.hpp"

// The limits of every text that enters the engine. Each check names the field it refuses.
namespace flowfabric {

Result<void> check_lane_id(std::string_view lane_id);
// The lanes that a worker takes from.
Result<void> check_lanes(const std::vector<std::string>& lanes);
// Worker ids, worker instance ids and namespaces share one rule.
Result<void> check_identity(std::string_view field, std::string_view value);
// Free text that must survive every store: valid UTF-8 without NUL, at most `max_bytes`.
Result<void> check_text(std::string_view field, std::string_view value, std::size_t max_bytes);
// check_text() that refuses control characters too.
Result<void> check_line(std::string_view field, std::string_view value, std::size_t max_bytes);
Result<void> check_tag_key(std::string_view key);
Result<void> check_tags(const Tags& tags);

// Sorted, without repeats, or invalid_capabilities with `side` ("required", "worker") in the detail.
Result<std::vector<std::string>> normalise_capabilities(std::string_view side, std::vector<std::string> tokens);

// The tokens for display, joined by commas, which no token contains.
std::string csv_of(const std::vector<std::string>& tokens);
// The parts between separators; none of an empty text.
std::vector<std::string> split(std::string_view text, char separator);

bool is_valid_utf8(std::string_view text);

}  // namespace flowfabric
