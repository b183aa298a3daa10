#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/events.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/lease_ref.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// Streams: what attempts put out while they run, frame by frame, to be read and followed by anyone. An attempt's stream
// begins with its first frame, goes on while the attempt is suspended, and closes with the attempt.
namespace flowfabric {

// Names a frame within its stream; every frame has a greater one than those before it.
struct FrameId {
    std::int64_t ts_ms = 0;
    std::int64_t seq = 0;

    // `MS-SEQ`, or `MS` for its first frame.
    static Result<FrameId> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const FrameId&) const = default;
};

// Where a range of frames begins or ends: `start`, `end`, `MS` or `MS-SEQ`.
class StreamBound {
  public:
    static StreamBound start();
    static StreamBound end();
    static StreamBound at(const FrameId& id);
    // All frames of a millisecond are within bounds that name it.
    static StreamBound at(std::int64_t ts_ms);

    static Result<StreamBound> parse(std::string_view text);
    std::string to_string() const;

    // The least frame that a range may hold which begins here, and the greatest of one that ends here.
    FrameId lowest() const;
    FrameId highest() const;

    bool operator==(const StreamBound&) const = default;

  private:
    enum class Form : std::uint8_t { start, end, millisecond, frame };

    StreamBound(Form form, const FrameId& id) : form_(form), id_(id) {}

    Form form_;
    FrameId id_;
};

enum class FrameKind : std::uint8_t { standard_output, standard_error, event, blob };

template <>
inline constexpr std::array enum_names<FrameKind> =
    std::to_array<std::string_view>({"stdout", "stderr", "event", "blob"});

// What a stream keeps of a frame.
enum class FrameMode : std::uint8_t {
    durable,      // the frame, until thousands have followed
    summary,      // what it changes in the attempt's summary document; the frame itself until dozens have followed
    best_effort,  // the frame, for as long as it is likely to be of interest
};

template <>
inline constexpr std::array enum_names<FrameMode> =
    std::to_array<std::string_view>({"durable", "summary", "best_effort"});

enum class FrameVisibility : std::uint8_t { all, exclude_best_effort };

template <>
inline constexpr std::array enum_names<FrameVisibility> =
    std::to_array<std::string_view>({"all", "exclude_best_effort"});

// Why nothing more will come.
enum class StreamEnd : std::uint8_t {
    attempt_success,
    attempt_failure,
    attempt_cancelled,
    attempt_interrupted,  // its lease was revoked
    lease_expired,
    expired,  // by the time limit of the attempt or the deadline of the execution
    suspension_timeout,
    dependency_impossible,
};

template <>
inline constexpr std::array enum_names<StreamEnd> =
    std::to_array<std::string_view>({"attempt_success", "attempt_failure", "attempt_cancelled", "attempt_interrupted",
                                     "lease_expired", "expired", "suspension_timeout", "dependency_impossible"});

inline constexpr std::string_view json_merge_patch = "json-merge-patch";  // the one kind of patch
// A patch stores the JSON null where it has this text: null itself removes.
inline constexpr std::string_view merge_patch_null = "__ff_null__";

// ---- writing ----------------------------------------------------------------------------------------------------

struct FrameAppended {
    static constexpr std::string_view type_name = "FrameAppended";

    FrameId frame_id;
    std::uint64_t frame_count = 0;
    std::optional<std::uint64_t> summary_version;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("stream_id", &FrameAppended::frame_id, field::optional, "The frame's id within its stream, MS-SEQ.");
        visit("frame_count", &FrameAppended::frame_count, field::optional,
              "How many frames the stream ever had, this one included.");
        visit("summary_version", &FrameAppended::summary_version, field::optional,
              "How many patches the summary document is made of; absent unless this is one.");
    }

    bool operator==(const FrameAppended&) const = default;
};

// Not idempotent: a repeat is another frame.
struct AppendFrame {
    using Answer = FrameAppended;
    static constexpr std::string_view type_name = "AppendFrame";
    static constexpr Operation operation{"append_frame", "Adds a frame to the stream of an attempt that runs."};

    LeaseRef lease;
    Bytes payload;
    std::optional<std::string> payload_encoding;
    FrameKind kind = FrameKind::event;
    std::string frame_type;
    std::optional<std::string> correlation_id;
    FrameMode mode = FrameMode::durable;
    std::optional<std::string> patch_kind;
    std::optional<std::uint64_t> ttl_ms;
    std::optional<std::uint32_t> maxlen_floor;
    std::optional<std::uint32_t> maxlen_ceiling;
    std::optional<double> ema_alpha;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lease", &AppendFrame::lease, field::required(), "The lease that the worker holds.");
        visit("payload", &AppendFrame::payload, field::payload("payload_encoding", max_frame_payload_bytes),
              "The frame's content; of a summary frame a JSON object, the patch.");
        visit("payload_encoding", &AppendFrame::payload_encoding, field::text(max_label_bytes),
              "How the payload is encoded.");
        visit("kind", &AppendFrame::kind, field::optional, "Where it comes from.");
        visit("frame_type", &AppendFrame::frame_type, field::line(max_label_bytes),
              "What it is, in your own words, such as delta or log; empty: its kind.");
        visit("correlation_id", &AppendFrame::correlation_id, field::text(max_label_bytes),
              "What the worker knows the matter by.");
        visit("mode", &AppendFrame::mode, field::optional, "What the stream keeps of it.");
        visit("patch_kind", &AppendFrame::patch_kind, field::line(max_label_bytes),
              "Of a summary frame: json-merge-patch, which is also meant when it is absent.");
        visit("ttl_ms", &AppendFrame::ttl_ms, field::between(1, max_ttl_ms),
              "Of a best-effort frame: how long it is likely to be of interest; absent: 10 s.");
        visit("maxlen_floor", &AppendFrame::maxlen_floor, field::between(1, max_best_effort_frames),
              "Of a best-effort frame: how many frames are kept at least, at any rate; absent: 64.");
        visit("maxlen_ceiling", &AppendFrame::maxlen_ceiling, field::between(1, max_best_effort_frames),
              "Of a best-effort frame: how many frames are kept at most; absent: 16384.");
        visit("ema_alpha", &AppendFrame::ema_alpha, field::optional,
              "Of a best-effort frame: how fast the rate by which frames are kept follows theirs; above 0 up to 1, "
              "anything else counts as 0.2.");
    }
};

// ---- reading ----------------------------------------------------------------------------------------------------

struct StreamFrame {
    static constexpr std::string_view type_name = "StreamFrame";

    FrameId id;
    FrameMode mode = FrameMode::durable;
    std::string frame_type;
    std::int64_t ts_ms = 0;
    Bytes payload;
    std::optional<std::string> payload_encoding;
    std::optional<std::string> correlation_id;
    std::optional<std::uint64_t> summary_version;
    std::optional<std::uint64_t> ttl_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("id", &StreamFrame::id, field::optional, "The frame's id within its stream, MS-SEQ.");
        visit("mode", &StreamFrame::mode, field::optional, "What the stream keeps of it.");
        visit("frame_type", &StreamFrame::frame_type, field::optional,
              "What it is, in the worker's words, or its kind.");
        visit("ts_ms", &StreamFrame::ts_ms, field::optional, "When it was added.");
        visit("payload", &StreamFrame::payload, field::payload("payload_encoding", max_frame_payload_bytes),
              "The frame's content.");
        visit("payload_encoding", &StreamFrame::payload_encoding, field::optional, "How the payload is encoded.");
        visit("correlation_id", &StreamFrame::correlation_id, field::optional, "What the worker knows the matter by.");
        visit("summary_version", &StreamFrame::summary_version, field::optional,
              "Of a summary frame: how many patches the document was made of then.");
        visit("ttl_ms", &StreamFrame::ttl_ms, field::optional, "Of a best-effort frame: how long it is of interest.");
    }

    bool operator==(const StreamFrame&) const = default;
};

// A stream that was never written to looks open and empty. Where the end shows, no frame comes any more.
struct StreamPage {
    static constexpr std::string_view type_name = "StreamPage";

    std::vector<StreamFrame> frames;
    std::optional<FrameId> next;
    std::optional<std::int64_t> closed_at_ms;
    std::optional<StreamEnd> closed_reason;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("frames", &StreamPage::frames, field::optional, "Frames in the order in which they were added.");
        visit("next_cursor", &StreamPage::next, field::optional,
              "Of a range: the first frame of its next page, to read on from; absent at the end.");
        visit("closed_at_ms", &StreamPage::closed_at_ms, field::optional,
              "When the stream closed; absent: it is open.");
        visit("closed_reason", &StreamPage::closed_reason, field::optional, "Why it closed.");
    }

    bool operator==(const StreamPage&) const = default;
};

// A page also ends when its payloads come to max_stream_page_bytes.
struct ReadStream {
    using Answer = StreamPage;
    static constexpr std::string_view type_name = "ReadStream";
    static constexpr Operation operation{"read_stream", "Reads a range of frames of an attempt's stream."};

    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;
    StreamBound from = StreamBound::start();
    StreamBound to = StreamBound::end();
    std::uint32_t limit = 100;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadStream::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("attempt_index", &ReadStream::attempt_index, field::required(field::between(0, max_attempt_index)),
              "The attempt, from 0 on.");
        visit("from", &ReadStream::from, field::optional, "The first frame: start, MS or MS-SEQ.");
        visit("to", &ReadStream::to, field::optional, "The last frame: end, MS for the last of it, or MS-SEQ.");
        visit("limit", &ReadStream::limit, field::between(1, max_stream_frames), "How many frames at most.");
    }
};

struct StreamSummary {
    static constexpr std::string_view type_name = "StreamSummary";

    Json document;
    std::uint64_t version = 0;
    std::string patch_kind;
    std::int64_t first_applied_ms = 0;
    std::int64_t last_updated_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("document", &StreamSummary::document, field::optional, "What all summary frames together made.");
        visit("version", &StreamSummary::version, field::optional, "How many there were.");
        visit("patch_kind", &StreamSummary::patch_kind, field::optional, "What kind of patches they are.");
        visit("first_applied_ms", &StreamSummary::first_applied_ms, field::optional, "When the first was added.");
        visit("last_updated_ms", &StreamSummary::last_updated_ms, field::optional, "When the last was added.");
    }

    bool operator==(const StreamSummary&) const = default;
};

struct ReadStreamSummary {
    using Answer = std::optional<StreamSummary>;
    static constexpr std::string_view type_name = "ReadStreamSummary";
    static constexpr Operation operation{"read_stream_summary",
                                         "Reads the summary document of an attempt's stream; nothing if it has none."};

    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadStreamSummary::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("attempt_index", &ReadStreamSummary::attempt_index, field::required(field::between(0, max_attempt_index)),
              "The attempt, from 0 on.");
    }
};

// ---- following --------------------------------------------------------------------------------------------------

// Answers as soon as there is a frame behind `after` that is wanted, at once when the stream has closed, and with
// nothing when the time is over. It holds no connection while it waits; any number may wait. Each answer is complete:
// whoever goes on behind its last frame misses none that is kept. A stream that has closed is read to its end when an
// answer that says so has no frames.
struct TailStream {
    using Answer = StreamPage;
    static constexpr std::string_view type_name = "TailStream";
    static constexpr Operation operation{"tail_stream", "Waits for frames of an attempt's stream."};

    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;
    FrameId after;
    std::uint64_t block_ms = 0;
    std::uint32_t limit = 50;
    FrameVisibility visibility = FrameVisibility::all;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &TailStream::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("attempt_index", &TailStream::attempt_index, field::required(field::between(0, max_attempt_index)),
              "The attempt, from 0 on.");
        visit("after", &TailStream::after, field::optional, "The last frame that is known, MS or MS-SEQ.");
        visit("block_ms", &TailStream::block_ms, field::between(0, max_tail_block_ms),
              "How long to wait for a frame; 0: not at all.");
        visit("limit", &TailStream::limit, field::between(1, max_stream_frames), "How many frames at most.");
        visit("visibility", &TailStream::visibility, field::optional, "Which frames count.");
    }
};

}  // namespace flowfabric
