#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <iostream>
#include <thread>

#include <fmt/format.h>

#include "api/streams/frame_form.hpp"
#include "api/streams/output_walk.hpp"
#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/process/signals.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"

namespace flowfabric::cli {
namespace {

using api::OutputItem;
using api::OutputWalk;

struct StreamOptions {
    std::string id;
    std::optional<std::uint32_t> attempt;
    std::optional<std::string> from;  // a cursor in hex
    bool from_start = false;
    bool no_follow = false;
    bool summary = false;
    bool durable = false;
};

// An execution whose attempts put nothing out is looked at this often.
constexpr std::uint64_t longest_wait_ms = 5'000;
constexpr std::chrono::milliseconds pause_when_disconnected{500};

// A server that is restarted, or a store that does not answer for a while, is waited for.
bool may_pass(const EngineError& error) {
    return is_retryable(error) || error.kind == ErrorKind::transport || family_of(error.kind) == ErrorFamily::timeout;
}

// Pieces of a text are put together as they were written, also those of a line that was cut (LineCutter); anything else
// is a line by itself.
bool is_piece(const StreamFrame& frame) {
    if (frame.payload.size() == max_frame_payload_bytes) return true;
    constexpr auto pieces = std::to_array<std::string_view>({"stdout", "stderr", "blob", "delta"});
    return std::ranges::find(pieces, frame.frame_type) != pieces.end();
}

void print_text(const OutputItem& item) {
    if (!item.frame) {
        const auto why = item.end.closed_reason;
        if (!why || *why == StreamEnd::attempt_success) return;
        std::cout.flush();
        std::cerr << fmt::format("ff: attempt {}: {}\n", item.attempt_index, to_string(*why));
        return;
    }
    const StreamFrame& frame = *item.frame;
    std::ostream& out = frame.frame_type == to_string(FrameKind::standard_error) ? std::cerr : std::cout;
    out << frame.payload;
    if (!is_piece(frame) && !frame.payload.ends_with('\n')) out << '\n';
}

void print_as_json(const OutputItem& item) {
    boost::json::object shown{{"attempt_index", item.attempt_index}};
    const auto fields = item.frame ? api::to_json(*item.frame).as_object() : api::end_in_texts(item.end);
    for (const auto& [name, value] : fields) shown[name] = value;
    shown["cursor"] = hex_of(item.behind.cursor());
    print_json(shown);
}

Result<OutputWalk::Options> walk_options(const StreamOptions& options) {
    OutputWalk::Options walk;
    walk.from_first = options.from_start;
    walk.only_attempt = options.attempt;
    if (options.durable) walk.visibility = FrameVisibility::exclude_best_effort;
    if (!options.from) return walk;
    const auto bytes = bytes_of_hex(*options.from);
    if (!bytes) return invalid_input("from", "must be a cursor: hexadecimal digits");
    auto place = api::OutputPlace::of_cursor(*bytes);
    if (!place) return invalid_input("from", place.error().detail);
    walk.from = *place;
    return walk;
}

// One step of the way; nothing when it is at its end.
Result<std::optional<std::vector<OutputItem>>> go_on(Client& client, const ExecutionId& id, bool follow,
                                                     OutputWalk& walk) {
    using Step = OutputWalk::Step;
    std::vector<OutputItem> items;
    const Step step = walk.step();
    if (step == Step::done || (walk.is_up_to_date() && !follow)) return std::optional<std::vector<OutputItem>>();
    if (step == Step::look) {
        const auto execution = client.describe_execution(id);
        if (!execution) return execution.error();
        if (!*execution) return execution_not_found(id.to_string());
        walk.learn(**execution);
        return std::optional(std::move(items));
    }
    TailStream tail = walk.tail();
    tail.block_ms = follow ? std::min(tail.block_ms, longest_wait_ms) : 0;
    auto page = client.tail_stream(tail);
    if (!page) return page.error();
    return std::optional(walk.take(*std::move(page)));
}

Result<void> follow(Session& session, const ExecutionId& id, const StreamOptions& options, bool json,
                    const std::atomic<bool>& stopping) {
    auto walk_by = walk_options(options);
    if (!walk_by) return walk_by.error();
    OutputWalk walk(id, *walk_by);
    bool was_there = false;
    bool told = false;
    while (!stopping && std::cout) {
        const auto items = go_on(session.client(), id, !options.no_follow, walk);
        if (!items) {
            if (stopping) return {};
            if (!was_there || !may_pass(items.error())) return items.error();
            if (!std::exchange(told, true)) {
                std::cerr << "ff: disconnected, goes on by itself: " + printable(to_string(items.error())) + '\n';
            }
            std::this_thread::sleep_for(pause_when_disconnected);
            continue;
        }
        if (!*items) return {};
        was_there = true;
        told = false;
        for (const OutputItem& item : **items) json ? print_as_json(item) : print_text(item);
        if (!(*items)->empty()) std::cout.flush();
    }
    return {};
}

Result<void> show_summary(Client& client, const ExecutionId& id, const StreamOptions& options, bool json) {
    std::uint32_t attempt = options.attempt.value_or(0);
    const auto execution = client.describe_execution(id);
    if (!execution) return execution.error();
    if (!*execution) return execution_not_found(id.to_string());
    if (!options.attempt) attempt = (*execution)->current_attempt_index;
    const auto summary = client.read_stream_summary(id, attempt);
    if (!summary) return summary.error();
    if (!*summary) {
        return EngineError{.kind = ErrorKind::invalid_input,
                           .detail = fmt::format("attempt: {} has put out no summary", attempt),
                           .not_active = std::nullopt};
    }
    if (json) {
        print_json(api::to_json(*summary));
    } else {
        print_line((*summary)->document.text);
    }
    return {};
}

int run_stream(const CommonOptions& common, const StreamOptions& options) {
    StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    const auto session = open_session(common, Missing::refuse, Reconcilers::off);
    if (!session) return fail_with(session.error(), common.json);
    std::atomic<bool> stopping = false;
    const auto reaction = signals.react([&] {
        stopping = true;
        (*session)->end_within(std::chrono::milliseconds(0));
    });
    const auto id = execution_argument((*session)->client(), options.id);
    if (!id) return fail_with(id.error(), common.json);
    const auto done = options.summary ? show_summary((*session)->client(), *id, options, common.json)
                                      : follow(**session, *id, options, common.json, stopping);
    return done ? 0 : fail_with(done.error(), common.json);
}

}  // namespace

void add_stream(CommandTable& table) {
    auto [command, options] = table.add("stream", "Follow what an execution puts out, until it ends", run_stream);
    add_id(command, options.id, "The execution");
    auto* attempt = command.add_option("--attempt", options.attempt, "This attempt and no other, from 0");
    attempt->type_name("N");
    auto* start = command.add_flag("--from-start", options.from_start,
                                   "Begin with the first attempt; otherwise with the current one");
    command.add_option("--from", options.from, "Begin behind this cursor of a line of --json")
        ->type_name("CURSOR")
        ->excludes(start)
        ->excludes(attempt);
    start->excludes(attempt);
    command.add_flag("--no-follow", options.no_follow, "Show what is there already, and end");
    command.add_flag("--durable", options.durable, "Leave out what is kept by best effort alone");
    command.add_flag("--summary", options.summary, "Show the summary document of the attempt instead, and end");
    command.footer(
        "Frames of stderr go to standard error, all others to standard output: those of stdout, blob and delta as "
        "they\n"
        "are, those of other types as a line each. Why an attempt that did not succeed has ended is said on standard\n"
        "error. With --json each frame is one line with its attempt, and the end of an attempt is one too.");
    add_examples(command, {"ff stream '{fp:7}:550e8400-e29b-41d4-a716-446655440000'",
                           "ff stream 550e8400-e29b-41d4-a716-446655440000 --from-start --json",
                           "ff stream 550e8400-e29b-41d4-a716-446655440000 --attempt 0 --summary"});
}

}  // namespace flowfabric::cli
