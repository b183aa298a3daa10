#pragma once

#include <cstdint>
#include <string>

#include "core/command/settings.hpp"
#include "core/token/token_row.hpp"
#include "flowfabric/token.hpp"

namespace flowfabric {

// A new secret, `ff_` and 256 random bits, with what is stored of it.
struct NewSecret {
    std::string text;
    Binary hash;
};
Result<NewSecret> new_secret(const Settings& settings);

TokenView::State state_of(const ApiTokenRow& row, std::int64_t now_ms);
TokenView view_of(const ApiTokenRow& row, std::int64_t now_ms);
// Adds what the row's secrets are accepted for now.
void accept(const ApiTokenRow& row, std::int64_t now_ms, AcceptedTokens& into);

}  // namespace flowfabric
