#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

// Limits on what callers send. Each refusal names the field.
namespace flowfabric {

// Bytes of a text.
inline constexpr std::size_t max_lane_bytes = 64;
inline constexpr std::size_t max_identity_bytes = 256;
inline constexpr std::size_t max_label_bytes = 256;
inline constexpr std::size_t max_line_bytes = 256;
inline constexpr std::size_t max_traceparent_bytes = 55;
inline constexpr std::size_t max_tracestate_bytes = 512;
inline constexpr std::size_t max_idempotency_key_bytes = 1024;
inline constexpr std::size_t max_reason_bytes = 65'536;
inline constexpr std::size_t max_token_bytes = max_identity_bytes + 65;  // a kid, a colon and 64 digits
inline constexpr std::size_t max_progress_bytes = 4096;
inline constexpr std::size_t max_tag_bytes = 65'536;
inline constexpr std::size_t max_url_bytes = 2048;
inline constexpr std::size_t max_tags_bytes = 262'144;     // of all keys and values together
inline constexpr std::size_t max_capability_bytes = 4096;  // of all tokens together, with commas between them

// Bytes of a payload.
inline constexpr std::size_t default_max_payload_bytes = 1'048'576;  // EngineOptions may say otherwise
inline constexpr std::size_t max_signal_payload_bytes = 65'536;
inline constexpr std::size_t max_frame_payload_bytes = 65'536;
inline constexpr std::size_t max_stream_summary_bytes = 1'048'576;  // of the document
inline constexpr std::size_t max_stream_page_bytes = 16'777'216;    // of all payloads together

// Numbers.
inline constexpr std::uint64_t min_ttl_ms = 1000;  // of a lease, and of what lives as long
inline constexpr std::uint64_t max_ttl_ms = 86'400'000;
inline constexpr std::uint64_t max_grant_ttl_ms = 3'600'000;
inline constexpr std::int64_t max_grace_ms = (std::int64_t{1} << 53U) - 1;  // what every JSON number keeps
inline constexpr std::int64_t max_time_ms = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int32_t max_priority = 9000;
inline constexpr std::uint32_t max_progress_percent = 100;
inline constexpr std::uint32_t max_claim_count = 500;
inline constexpr std::uint32_t default_page = 50;  // of every list without a limit
inline constexpr std::uint32_t max_page = 1000;    // of every list; a larger limit counts as this one
inline constexpr std::uint16_t max_partition = 255;
inline constexpr std::uint32_t max_group_edges = 1'000'000;
inline constexpr std::uint32_t max_token_rate_per_s = 1'000'000;
inline constexpr std::uint32_t max_webhook_batch = 100;
inline constexpr std::uint32_t max_attempt_index = 2'147'483'647;
inline constexpr std::uint64_t max_budget_amount = std::numeric_limits<std::int64_t>::max();
inline constexpr std::uint64_t min_reset_interval_ms = 100;
inline constexpr std::uint64_t max_reset_interval_ms = 3'153'600'000'000;  // a hundred years
inline constexpr std::uint32_t max_budget_depth = 8;                       // from a root to a leaf, both included
inline constexpr std::uint32_t max_stream_frames = 10'000;                 // of one read
inline constexpr std::uint32_t max_best_effort_frames = 16'384;            // that a stream keeps
inline constexpr std::uint64_t max_tail_block_ms = 30'000;
inline constexpr std::uint32_t max_patch_depth = 16;

// Items of a list.
inline constexpr std::size_t max_claim_lanes = 64;
inline constexpr std::size_t max_capabilities = 256;
inline constexpr std::size_t max_waitpoints = 256;
inline constexpr std::size_t max_core_fields = 256;
inline constexpr std::size_t max_token_scopes = 5;
inline constexpr std::size_t max_token_namespaces = 256;
inline constexpr std::size_t max_states = 16;
inline constexpr std::size_t max_webhook_types = 64;
inline constexpr std::size_t max_budget_dimensions = 256;

}  // namespace flowfabric
