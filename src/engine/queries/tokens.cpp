#include "core/token/token.hpp"
#include "engine/queries/page.hpp"
#include "engine/queries/queries.hpp"

namespace flowfabric {

AnswerTo<ListTokens> answer(const ListTokens& query, StoreReader& reader, const QueryContext&) {
    const auto rows = reader.all<ApiTokenRow>();
    if (!rows) return rows.error();
    const auto now = reader.now();
    if (!now) return now.error();
    std::vector<TokenView> tokens;
    for (const ApiTokenRow& row : *rows) tokens.push_back(view_of(row, *now));
    return page_of(query, std::move(tokens), &TokenPage::tokens, &TokenView::name);
}

}  // namespace flowfabric
