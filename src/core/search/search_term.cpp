#include <algorithm>

#include "core/base/tags.hpp"
#include "core/search/search_term_row.hpp"
#include "core/signing/signing.hpp"

namespace flowfabric {
namespace {

Uuid term_of(std::string_view text) {
    const Bytes digest = sha256(text);
    Uuid term;
    std::ranges::copy_n(digest.begin(), static_cast<std::ptrdiff_t>(term.bytes.size()), term.bytes.begin());
    return term;
}

}  // namespace

// No tag's key has a space.
Uuid term_of_tag(std::string_view key, std::string_view value) {
    return term_of("tag " + std::string(key) + ' ' + std::string(value));
}

Uuid term_of_failure() {
    static const Uuid term = term_of("failure");
    return term;
}

bool counts_as_failure(PublicState state) {
    return state == PublicState::failed || state == PublicState::expired;
}

std::vector<Uuid> terms_of(const ExecutionRow& row) {
    std::vector<Uuid> terms;
    for (const auto& [key, value] : tags_of(row.tags)) terms.push_back(term_of_tag(key, value));
    if (counts_as_failure(row.vector.public_state)) terms.push_back(term_of_failure());
    std::ranges::sort(terms);
    return terms;
}

}  // namespace flowfabric
