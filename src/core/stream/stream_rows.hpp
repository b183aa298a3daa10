#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"
#include "flowfabric/stream.hpp"

// The rows of streams: one for what holds of the stream, one for its summary document, one per frame. An execution
// whose attempt has a stream that is open says so, and that first row is loaded with it; frames are never loaded to
// change anything.
namespace flowfabric {

struct StreamKey {
    ExecutionId execution_id;
    std::int32_t attempt_index = 0;

    auto operator<=>(const StreamKey&) const = default;
};

// What notifications call a stream: `UUID_ATTEMPT`.
inline std::string name_of(const StreamKey& key) {
    return key.execution_id.uuid.to_string() + '_' + std::to_string(key.attempt_index);
}

template <Is<StreamKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("partition_key", key.execution_id.partition);
    visit("execution_id", key.execution_id.uuid);
    visit("attempt_index", key.attempt_index);
}

// It outlasts its frames: whoever follows a stream learns that it has closed.
struct StreamMetaRow {
    static constexpr std::string_view table = "ff_stream_meta";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr std::string_view loaded_where = "live";
    static constexpr DueColumn due{.name = "stream_expiry", .column = "expiry_check_at_ms"};
    using Key = StreamKey;

    StreamKey key;
    std::int64_t last_ts_ms = 0;  // of the last frame's id
    std::int64_t last_seq = 0;
    std::int64_t frame_count = 0;       // that it ever had, which is the number of the last one
    std::int64_t lasting_count = 0;     // of those, frames that are not best-effort
    std::int64_t total_bytes = 0;       // of all payloads that it ever had
    std::int64_t cut_through = 0;       // frames up to this number are not shown any more
    std::int64_t removed_through = 0;   // frames up to this number are gone
    std::int64_t retention_maxlen = 0;  // how many frames are kept, as the execution's policy has it
    std::int64_t maxlen_applied_last = 0;
    std::optional<std::int64_t> ema_rate_uhz;  // of best-effort frames, in millionths
    std::optional<std::int64_t> last_best_effort_ms;
    std::optional<std::int64_t> expires_at_ms;  // when its frames go, while none is meant to last
    // When the scanner looks next. Frames that put their end off leave it alone, so that they stay HOT.
    std::optional<std::int64_t> expiry_check_at_ms;
    std::optional<std::int64_t> closed_at_ms;
    std::optional<StreamEnd> closed_reason;
    bool live = true;  // it is open, or its frames are still to expire

    static bool has_some(const ExecutionRow& row) { return row.has_stream; }
    bool is_loaded() const { return live; }
    ExecutionId owner() const { return key.execution_id; }
    std::optional<std::int64_t> due_at_ms() const { return expiry_check_at_ms; }
    FrameId last_id() const { return {last_ts_ms, last_seq}; }

    bool operator==(const StreamMetaRow&) const = default;
};

template <Is<StreamMetaRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("last_ts_ms", row.last_ts_ms);
    visit("last_seq", row.last_seq);
    visit("frame_count", row.frame_count);
    visit("lasting_count", row.lasting_count);
    visit("total_bytes", row.total_bytes);
    visit("cut_through", row.cut_through);
    visit("removed_through", row.removed_through);
    visit("retention_maxlen", row.retention_maxlen);
    visit("maxlen_applied_last", row.maxlen_applied_last);
    visit("ema_rate_uhz", row.ema_rate_uhz);
    visit("last_best_effort_ms", row.last_best_effort_ms);
    visit("expires_at_ms", row.expires_at_ms);
    visit("expiry_check_at_ms", row.expiry_check_at_ms);
    visit("closed_at_ms", row.closed_at_ms);
    visit("closed_reason", row.closed_reason);
    visit("live", row.live);
}

// What all summary frames of an attempt together made.
struct StreamSummaryRow {
    static constexpr std::string_view table = "ff_stream_summary";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = StreamKey;

    StreamKey key;
    std::string document;  // text, since a document may hold what PostgreSQL's jsonb refuses: \u0000
    std::int64_t version = 0;
    std::string patch_kind;
    std::int64_t first_applied_ms = 0;
    std::int64_t last_updated_ms = 0;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.execution_id; }

    bool operator==(const StreamSummaryRow&) const = default;
};

template <Is<StreamSummaryRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("document", row.document);
    visit("version", row.version);
    visit("patch_kind", row.patch_kind);
    visit("first_applied_ms", row.first_applied_ms);
    visit("last_updated_ms", row.last_updated_ms);
}

struct StreamFrameKey {
    StreamKey stream;
    std::int64_t ts_ms = 0;
    std::int64_t seq = 0;

    FrameId id() const { return {ts_ms, seq}; }
    auto operator<=>(const StreamFrameKey&) const = default;
};

template <Is<StreamFrameKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit_columns(key.stream, visit);
    visit("ts_ms", key.ts_ms);
    visit("seq", key.seq);
}

struct StreamFrameRow {
    static constexpr std::string_view table = "ff_stream_frame";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    static constexpr std::string_view number_column = "frame_no";
    using Key = StreamFrameKey;
    using Series = StreamKey;

    StreamFrameKey key;
    std::int64_t frame_no = 0;  // from 1 on
    std::int64_t created_at_ms = 0;
    FrameMode mode = FrameMode::durable;
    std::string frame_type;
    std::optional<std::string> correlation_id;
    std::optional<std::int64_t> summary_version;
    std::optional<std::int64_t> ttl_ms;
    std::optional<std::string> payload_encoding;
    Binary payload;

    static bool has_some(const ExecutionRow&) { return false; }
    ExecutionId owner() const { return key.stream.execution_id; }
    const StreamKey& series() const { return key.stream; }
    std::int64_t number() const { return frame_no; }
    static StreamFrameKey first_key(const StreamKey& stream) { return {.stream = stream}; }

    bool operator==(const StreamFrameRow&) const = default;
};

template <Is<StreamFrameRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("frame_no", row.frame_no);
    visit("created_at_ms", row.created_at_ms);
    visit("mode", row.mode);
    visit("frame_type", row.frame_type);
    visit("correlation_id", row.correlation_id);
    visit("summary_version", row.summary_version);
    visit("ttl_ms", row.ttl_ms);
    visit("payload_encoding", row.payload_encoding);
    visit("payload", row.payload);
}

}  // namespace flowfabric
