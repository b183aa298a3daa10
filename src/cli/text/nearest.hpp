#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowfabric::cli {

// The word that was probably meant: the candidate that fewest insertions, deletions, replacements and swaps lead to.
// Nothing if none is near.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace flowfabric::cli
