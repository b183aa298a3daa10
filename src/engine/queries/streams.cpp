#include "core/stream/stream.hpp"
#include "core/stream/tail_stream.hpp"
#include "engine/queries/queries.hpp"
#include "engine/queries/stream_page.hpp"

// What attempts have put out.
namespace flowfabric {

AnswerTo<ReadStream> answer(const ReadStream& query, StoreReader& reader, const QueryContext&) {
    const auto key = stream_key(query.execution_id, query.attempt_index);
    if (!key) return key.error();
    const auto meta = reader.row<StreamMetaRow>(*key);
    if (!meta) return meta.error();
    auto page = read_stream_page(reader, *meta,
                                 {.stream = *key,
                                  .from = query.from.lowest(),
                                  .to = query.to.highest(),
                                  .visibility = FrameVisibility::all,
                                  .limit = query.limit});
    if (!page) return page.error();
    return *std::move(page);
}

AnswerTo<ReadStreamSummary> answer(const ReadStreamSummary& query, StoreReader& reader, const QueryContext&) {
    const auto key = stream_key(query.execution_id, query.attempt_index);
    if (!key) return key.error();
    const auto row = reader.row<StreamSummaryRow>(*key);
    if (!row) return row.error();
    return *row ? std::optional(view_of(**row)) : std::nullopt;
}

}  // namespace flowfabric
