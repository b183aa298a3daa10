#include <algorithm>
#include <cmath>

#include "core/base/names.hpp"
#include "core/base/saturating.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/execution/transition.hpp"
#include "core/stream/frame_retention.hpp"
#include "core/stream/stream.hpp"
#include "core/stream/summary.hpp"

namespace flowfabric {
namespace {

constexpr double millionths = 1e6;

// What the ladder refuses goes by other names here, which published clients know.
EngineError refusal_of_append(EngineError refusal) {
    switch (refusal.kind) {
        case ErrorKind::execution_not_active:
            refusal.kind = ErrorKind::stream_closed;
            refusal.not_active.reset();
            break;
        case ErrorKind::lease_revoked:
        case ErrorKind::lease_expired:
        case ErrorKind::stale_lease:
            refusal.kind = ErrorKind::stale_owner_cannot_append;
            break;
        default:
            break;
    }
    return refusal;
}

Result<std::int64_t> retention_maxlen(const ExecutionRow& row) {
    const auto policy = stored_policy(row);
    if (!policy) return policy.error();
    if (!*policy || !(*policy)->stream_policy) return default_retention_maxlen;
    constexpr auto most = static_cast<std::uint64_t>(max_time_ms / 2);
    return static_cast<std::int64_t>(std::min((*policy)->stream_policy->retention_maxlen, most));
}

// How many frames are kept from now on.
std::int64_t maxlen_after_best_effort(StreamMetaRow& meta, const BestEffort& config, std::int64_t now_ms) {
    const FrameRate rate = meta.ema_rate_uhz && meta.last_best_effort_ms
                               ? next_rate(config, static_cast<double>(*meta.ema_rate_uhz) / millionths,
                                           saturating_difference(now_ms, *meta.last_best_effort_ms))
                               : first_rate(config);
    meta.ema_rate_uhz = std::llround(rate.hz * millionths);
    meta.last_best_effort_ms = now_ms;
    return rate.maxlen;
}

void put_off_expiry(StreamMetaRow& meta, std::uint64_t ttl_ms, std::int64_t now_ms) {
    meta.expires_at_ms = saturating_add(now_ms, 2 * ttl_ms);
    if (!meta.expiry_check_at_ms || *meta.expiry_check_at_ms > *meta.expires_at_ms) {
        meta.expiry_check_at_ms = meta.expires_at_ms;
    }
}

class AppendFrameBody final : public OnLease {
  public:
    AppendFrameBody(const HeldLease& lease, AppendFrame frame) : OnLease(lease), frame_(std::move(frame)) {}

    CommandTraits traits() const override { return {.name = "append_frame"}; }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(frame_.payload, frame_.payload_encoding, frame_.frame_type,
                                           frame_.correlation_id, frame_.patch_kind);
    }

    void name_rows(NamedRows& rows) const override {
        // Its execution says that it has a stream, but only once it is locked, and not of one that has closed.
        const auto attempt_index = lease().triple ? lease().triple->attempt_index : std::nullopt;
        const auto name = [&](auto& wanted) {
            if (attempt_index) {
                wanted.keys.push_back({execution_id(), static_cast<std::int32_t>(*attempt_index)});
            } else {
                wanted.owners.push_back(execution_id());
            }
        };
        name(rows.side.of<StreamMetaRow>());
        if (frame_.mode == FrameMode::summary) name(rows.side.of<StreamSummaryRow>());
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::never)) {
            return refusal_of_append(*std::move(refusal));
        }
        auto meta = meta_of(entry.row, context.set);
        if (!meta) return meta.error();
        if (meta->closed_at_ms) return refused_in_state(ErrorKind::stream_closed, entry.row);
        std::optional<StreamSummaryRow> summary;
        if (frame_.mode == FrameMode::summary) {
            auto merged = merged_summary(meta->key, context.set, transition.now());
            if (!merged) return merged.error();
            summary = *std::move(merged);
        }
        transition.note_output();
        return append(*std::move(meta), std::move(summary), context.set, transition.now());
    }

  private:
    static Result<StreamMetaRow> meta_of(const ExecutionRow& row, const WorkingSet& set) {
        const StreamKey key{row.id, row.attempt_index};
        if (const StreamMetaRow* known = set.side.of<StreamMetaRow>().find(key)) return *known;
        const auto maxlen = retention_maxlen(row);
        if (!maxlen) return maxlen.error();
        return StreamMetaRow{.key = key, .retention_maxlen = *maxlen};
    }

    Result<StreamSummaryRow> merged_summary(const StreamKey& key, const WorkingSet& set, std::int64_t now_ms) const {
        const StreamSummaryRow* known = set.side.of<StreamSummaryRow>().find(key);
        StreamSummaryRow summary = known != nullptr ? *known : StreamSummaryRow{.key = key, .first_applied_ms = now_ms};
        auto document = merge_patch(summary.document, frame_.payload);
        if (!document) return document.error();
        summary.document = *std::move(document);
        summary.version += 1;
        summary.patch_kind = json_merge_patch;
        summary.last_updated_ms = now_ms;
        return summary;
    }

    Answer append(StreamMetaRow meta, std::optional<StreamSummaryRow> summary, WorkingSet& set,
                  std::int64_t now_ms) const {
        const bool first = meta.frame_count == 0;
        // As the scanner would have done by now.
        if (meta.expires_at_ms && *meta.expires_at_ms <= now_ms) expire_frames(set, meta);
        const std::int64_t ts_ms = std::max(now_ms, meta.last_ts_ms);
        meta.last_seq = first || ts_ms != meta.last_ts_ms ? 0 : meta.last_seq + 1;
        meta.last_ts_ms = ts_ms;
        meta.frame_count += 1;
        meta.total_bytes += static_cast<std::int64_t>(frame_.payload.size());
        const auto version = summary ? std::optional(summary->version) : std::nullopt;
        set.side.of<StreamFrameRow>().put(row_of(meta, version, now_ms));
        ++set.frames[static_cast<std::size_t>(frame_.mode)];
        meta.maxlen_applied_last = maxlen_after(meta, now_ms);
        if (keep_newest(meta, meta.maxlen_applied_last)) {
            set.side.of<StreamFrameRow>().cut(meta.key, meta.removed_through);
        }
        const FrameAppended appended{
            .frame_id = meta.last_id(),
            .frame_count = static_cast<std::uint64_t>(meta.frame_count),
            .summary_version = version ? std::optional(static_cast<std::uint64_t>(*version)) : std::nullopt};
        set.side.of<StreamMetaRow>().put(meta);
        if (summary) set.side.of<StreamSummaryRow>().put(*std::move(summary));
        return Answer::of<FrameAppended>(appended);
    }

    // Also decides when the frames go that are not meant to last.
    std::int64_t maxlen_after(StreamMetaRow& meta, std::int64_t now_ms) const {
        if (frame_.mode == FrameMode::best_effort) {
            const BestEffort config = best_effort_of(frame_);
            if (meta.lasting_count == 0) put_off_expiry(meta, config.ttl_ms, now_ms);
            return maxlen_after_best_effort(meta, config, now_ms);
        }
        meta.lasting_count += 1;
        meta.expires_at_ms.reset();
        meta.expiry_check_at_ms.reset();
        return frame_.mode == FrameMode::summary ? summary_maxlen : meta.retention_maxlen;
    }

    StreamFrameRow row_of(const StreamMetaRow& meta, std::optional<std::int64_t> summary_version,
                          std::int64_t now_ms) const {
        const bool fleeting = frame_.mode == FrameMode::best_effort;
        return {
            .key = {.stream = meta.key, .ts_ms = meta.last_ts_ms, .seq = meta.last_seq},
            .frame_no = meta.frame_count,
            .created_at_ms = now_ms,
            .mode = frame_.mode,
            .frame_type = frame_.frame_type.empty() ? std::string(to_string(frame_.kind)) : frame_.frame_type,
            .correlation_id = frame_.correlation_id,
            .summary_version = summary_version,
            .ttl_ms = fleeting ? std::optional(static_cast<std::int64_t>(best_effort_of(frame_).ttl_ms)) : std::nullopt,
            .payload_encoding = frame_.payload_encoding,
            .payload = {frame_.payload}};
    }

    AppendFrame frame_;
};

EngineError payload_too_long(const Bytes& payload) {
    return {.kind = ErrorKind::retention_limit_exceeded,
            .detail = "payload: " + std::to_string(payload.size()) + " bytes, at most " +
                      std::to_string(max_frame_payload_bytes)};
}

// What speaks of one mode means nothing in another.
std::optional<EngineError> check_modes(const AppendFrame& frame) {
    Checks check;
    const bool patches = frame.mode == FrameMode::summary;
    const bool fleeting = frame.mode == FrameMode::best_effort;
    check.require(patches || !frame.patch_kind, "patch_kind", "is for summary frames alone");
    check.require(frame.patch_kind.value_or(std::string(json_merge_patch)) == json_merge_patch, "patch_kind",
                  "unsupported patch_kind: must be json-merge-patch");
    if (patches && !check.fault()) check(check_patch(frame.payload));
    check.require(fleeting || !frame.ttl_ms, "ttl_ms", "is for best-effort frames alone");
    check.require(fleeting || !frame.maxlen_floor, "maxlen_floor", "is for best-effort frames alone");
    check.require(fleeting || !frame.maxlen_ceiling, "maxlen_ceiling", "is for best-effort frames alone");
    check.require(fleeting || !frame.ema_alpha, "ema_alpha", "is for best-effort frames alone");
    return check.fault();
}

}  // namespace

template <>
Result<Command> admit(AppendFrame command, const Settings& settings, const IdSource&) {
    if (command.payload.size() > max_frame_payload_bytes) return payload_too_long(command.payload);
    Checks check;
    if (command.payload_encoding) check(check_text("payload_encoding", *command.payload_encoding, max_label_bytes));
    check.require(is_known(command.kind), "kind", "is not one of its values");
    check(check_line("frame_type", command.frame_type, max_label_bytes));
    if (command.correlation_id) check(check_text("correlation_id", *command.correlation_id, max_label_bytes));
    check.require(is_known(command.mode), "mode", "is not one of its values");
    if (command.patch_kind) check(check_line("patch_kind", *command.patch_kind, max_label_bytes));
    if (command.ttl_ms) check(check_range("ttl_ms", *command.ttl_ms, 1, max_ttl_ms));
    if (command.maxlen_floor) check(check_range("maxlen_floor", *command.maxlen_floor, 1, max_best_effort_frames));
    if (command.maxlen_ceiling) {
        check(check_range("maxlen_ceiling", *command.maxlen_ceiling, 1, max_best_effort_frames));
    }
    if (check.fault()) return *check.fault();
    if (auto fault = check_modes(command)) return *std::move(fault);
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<AppendFrameBody>(*lease, std::move(command));
}

}  // namespace flowfabric
