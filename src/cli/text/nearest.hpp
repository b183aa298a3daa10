#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowfabric::cli {

// The word that was probably meant: the candidate that fewest insertions, deletions, replacements and swaps lead to.
// Nothing if none is near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean WORD?", the end of what is said about a word that is not known; empty if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace flowfabric::cli
