#include "core/stream/stream.hpp"

#include "core/command/on_execution.hpp"
#include "core/execution/transition.hpp"
#include "core/stream/frame_retention.hpp"

namespace flowfabric {
namespace {

std::optional<std::uint64_t> count_of(const std::optional<std::int64_t>& number) {
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

class ExpireStreamsBody final : public OnExecution {
  public:
    using OnExecution::OnExecution;

    CommandTraits traits() const override {
        return {.name = "expire_streams", .urgency = Urgency::bulk, .by_timer = true};
    }
    std::size_t bytes() const override { return sizeof(*this); }

    // Of attempts that have ended as well, which the execution does not speak of.
    void name_rows(NamedRows& rows) const override { rows.side.of<StreamMetaRow>().owners.push_back(execution_id()); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        const std::int64_t now = Transition(entry, context.set).now();
        auto& metas = context.set.side.of<StreamMetaRow>();
        bool changed = false;
        for (StreamMetaRow& meta : metas.where([&](const StreamMetaRow& row) {
                 return row.owner() == execution_id() && row.expiry_check_at_ms && *row.expiry_check_at_ms <= now;
             })) {
            const bool due = meta.expires_at_ms && *meta.expires_at_ms <= now;
            if (due) {
                expire_frames(context.set, meta);
                changed = true;
            } else {
                meta.expiry_check_at_ms = meta.expires_at_ms;
            }
            metas.put(meta);
        }
        return Answer::of<TimerFired>({.changed = changed});
    }
};

}  // namespace

void close_stream(WorkingSet& set, const StreamKey& key, StreamEnd why, std::int64_t now_ms) {
    auto& metas = set.side.of<StreamMetaRow>();
    const StreamMetaRow* open = metas.find(key);
    if (open == nullptr || open->closed_at_ms) return;
    metas.change(key, [&](StreamMetaRow& meta) {
        meta.closed_at_ms = now_ms;
        meta.closed_reason = why;
        meta.live = meta.expires_at_ms.has_value();
    });
}

void expire_frames(WorkingSet& set, StreamMetaRow& meta) {
    drop_all(meta);
    set.side.of<StreamFrameRow>().cut(meta.key, meta.removed_through);
    meta.expires_at_ms.reset();
    meta.expiry_check_at_ms.reset();
    meta.live = !meta.closed_at_ms;
}

Command expire_streams(const ExecutionId& id) {
    return Command::make<ExpireStreamsBody>(id);
}

StreamFrame view_of(const StreamFrameRow& row) {
    return {.id = row.key.id(),
            .mode = row.mode,
            .frame_type = row.frame_type,
            .ts_ms = row.created_at_ms,
            .payload = row.payload.bytes,
            .payload_encoding = row.payload_encoding,
            .correlation_id = row.correlation_id,
            .summary_version = count_of(row.summary_version),
            .ttl_ms = count_of(row.ttl_ms)};
}

StreamSummary view_of(const StreamSummaryRow& row) {
    return {.document = {row.document},
            .version = static_cast<std::uint64_t>(row.version),
            .patch_kind = row.patch_kind,
            .first_applied_ms = row.first_applied_ms,
            .last_updated_ms = row.last_updated_ms};
}

}  // namespace flowfabric
