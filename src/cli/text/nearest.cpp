#include "cli/text/nearest.hpp"

#include <algorithm>

namespace flowfabric::cli {
namespace {

std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
    for (std::size_t i = 0; i <= from.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= to.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const bool same = from[i - 1] == to[j - 1];
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[from.size()][to.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
    const std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
    std::optional<std::string> best;
    std::size_t best_distance = limit;
    for (const std::string& candidate : candidates) {
        const std::size_t apart = candidate.starts_with(word) && word.size() > 1 ? 1 : distance(word, candidate);
        if (apart >= best_distance) continue;
        best = candidate;
        best_distance = apart;
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
    const auto meant = nearest(word, candidates);
    return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace flowfabric::cli
