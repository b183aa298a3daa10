#include <atomic>
#include <csignal>
#include <iostream>
#include <limits>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/process/signals.hpp"
#include "cli/text/cursor_text.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"

namespace flowfabric::cli {
namespace {

struct TailOptions {
    Channel channel = Channel::completion;
    std::optional<std::string> namespace_name;
    std::optional<std::uint16_t> partition;
    std::string from = "now";  // or start, or a cursor in hex
    std::optional<std::string> consumer;
    std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
};

constexpr std::chrono::milliseconds stop_check{200};  // a signal waits no longer than this
constexpr std::chrono::milliseconds at_once{0};
constexpr int acknowledge_after = 1000;  // or when there is nothing more to show

std::string subject_of(const OperatorEvent& event) {
    if (!event.subject_id) return "-";
    // Only executions are named with their partition.
    if (event.subject_kind != SubjectKind::execution) return event.subject_id->to_string();
    return ExecutionId{event.partition_key, *event.subject_id}.to_string();
}

std::string line_of(const LeaseEvent& event) {
    return fmt::format("{}  {}  {}  epoch {}  {}/{}{}{}", iso_time(event.occurred_at_ms),
                       event.execution_id.to_string(), event.event_type.text(), event.lease_epoch, event.worker_id,
                       event.worker_instance_id, event.reason ? "  " + *event.reason : "",
                       event.revoked_by ? "  by " + *event.revoked_by : "");
}

std::string line_of(const CompletionEvent& event) {
    return fmt::format("{}  {}  {}", iso_time(event.occurred_at_ms), event.execution_id.to_string(),
                       event.outcome.text());
}

std::string line_of(const SignalEvent& event) {
    return fmt::format("{}  {}  {}  signal {}{}", iso_time(event.delivered_at_ms), event.execution_id.to_string(),
                       event.effect, event.signal_id.to_string(),
                       event.source_identity ? "  from " + *event.source_identity : "");
}

std::string line_of(const OperatorEvent& event) {
    return fmt::format("{}  {} {}  {}  {}", iso_time(event.occurred_at_ms), event.subject_kind.text(),
                       subject_of(event), event.event_type.text(), event.details.text);
}

std::string line_of(const AuditEvent& event) {
    return fmt::format("{}  {}  {}  {}  {}", iso_time(event.occurred_at_ms), event.actor, event.action,
                       event.subject.value_or("-"), event.status);
}

void print(const Event& event, bool json) {
    if (json) {
        auto shown = std::visit([](const auto& one) { return api::to_json(one); }, event);
        shown.as_object()["cursor"] = hex_of(cursor_of(event));
        print_json(shown);
    } else {
        print_line(one_line(std::visit([](const auto& one) { return line_of(one); }, event)));
    }
    std::cout.flush();
}

void show(const Delivery& delivery, bool json) {
    if (const auto* lost = std::get_if<StreamDisconnected>(&delivery)) {
        std::cerr << fmt::format("ff: disconnected, goes on by itself behind cursor {}: {}\n", hex_of(lost->cursor),
                                 one_line(lost->detail));
    } else {
        print(std::get<Event>(delivery), json);
    }
}

int run_tail(const CommonOptions& common, const TailOptions& options) {
    auto cursor = parse_cursor_text(options.from);
    if (!cursor) return fail_with(cursor.error(), common.json);
    StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    const auto session = open_session(common, Missing::refuse, Reconcilers::off);
    if (!session) return fail_with(session.error(), common.json);
    SubscribeOptions subscribe;
    subscribe.cursor = std::move(*cursor);
    subscribe.partition = options.partition;
    subscribe.namespace_name = options.namespace_name;
    subscribe.consumer = options.consumer;
    const auto subscription = (*session)->subscribe(options.channel, subscribe);
    if (!subscription) return fail_with(subscription.error(), common.json);
    std::atomic<bool> stopping = false;
    const auto reaction = signals.react([&] {
        stopping = true;
        (*session)->end_within(stop_grace);
    });
    std::cerr << fmt::format("ff: following {} events\n", to_string(options.channel));

    Bytes acknowledged;
    const auto acknowledge = [&]() -> Result<void> {
        const Bytes shown = (*subscription)->cursor();
        if (!options.consumer || shown == acknowledged) return {};
        auto placed = (*session)->client().acknowledge_events({options.channel, *options.consumer, shown});
        if (!placed) return placed.error();
        acknowledged = shown;
        return {};
    };
    int unacknowledged = 0;
    std::uint64_t left = options.count;
    Result<void> going_on;
    while (going_on && !stopping && std::cout && left > 0) {
        const auto delivery = (*subscription)->next(unacknowledged > 0 ? at_once : stop_check);
        if (!delivery) {
            going_on = delivery.error();
            break;
        }
        if (*delivery) {
            show(**delivery, common.json);
            ++unacknowledged;
            if (std::holds_alternative<Event>(**delivery)) --left;
        }
        if (!*delivery || unacknowledged == acknowledge_after) {
            going_on = acknowledge();
            unacknowledged = 0;
        }
    }
    if (going_on && std::cout) going_on = acknowledge();
    return going_on ? 0 : fail_with(going_on.error(), common.json);
}

}  // namespace

void add_tail(CommandTable& table) {
    auto [command, options] = table.add("tail", "Follow what happens, one event per line", run_tail);
    add_channel(command, options.channel);
    command.add_option("--namespace", options.namespace_name, "Only events of this namespace");
    command.add_option("--partition", options.partition, "Only events of this partition, the N in {fp:N}:UUID")
        ->type_name("N");
    command.add_option("--from", options.from, "Begin behind this cursor, with the oldest event, or with the next one")
        ->type_name("CURSOR|start|now")
        ->capture_default_str();
    command.add_option("--consumer", options.consumer,
                       "A name to be known by: begins where it stood, and events it has not shown are kept for it");
    command.add_option("--count", options.count, "End after this many events")->type_name("N");
    command.footer("Ends at SIGINT or SIGTERM. With --json each line has the cursor that --from continues behind.");
    add_examples(command, {"ff tail --from start", "ff tail --channel lease --json", "ff tail --consumer billing"});
}

}  // namespace flowfabric::cli
