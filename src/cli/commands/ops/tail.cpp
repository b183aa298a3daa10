#include <atomic>
#include <csignal>
#include <iostream>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/process/signals.hpp"
#include "cli/store_location.hpp"
#include "cli/text/cursor_text.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

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

}  // namespace

int run_tail(const CommonOptions& common, const TailOptions& options) {
    auto cursor = parse_cursor_text(options.from);
    if (!cursor) return fail_with(cursor.error(), common.json);
    StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    SubscribeOptions subscribe;
    subscribe.cursor = std::move(*cursor);
    subscribe.partition = options.partition;
    subscribe.namespace_name = options.namespace_name;
    subscribe.consumer = options.consumer;
    const auto subscription = (*engine)->subscribe(options.channel, subscribe);
    if (!subscription) return fail_with(subscription.error(), common.json);
    std::atomic<bool> stopping = false;
    const auto reaction = signals.react([&] {
        stopping = true;
        (*engine)->end_within(stop_grace);
    });
    std::cerr << fmt::format("ff: following {} events\n", to_string(options.channel));

    Bytes acknowledged;
    const auto acknowledge = [&]() -> Result<void> {
        const Bytes shown = (*subscription)->cursor();
        if (!options.consumer || shown == acknowledged) return {};
        auto placed = (*engine)->acknowledge_events({options.channel, *options.consumer, shown});
        if (!placed) return placed.error();
        acknowledged = shown;
        return {};
    };
    int unacknowledged = 0;
    Result<void> going_on;
    while (going_on && !stopping && std::cout) {
        const auto delivery = (*subscription)->next(unacknowledged > 0 ? at_once : stop_check);
        if (!delivery) {
            going_on = delivery.error();
            break;
        }
        if (*delivery) {
            show(**delivery, common.json);
            ++unacknowledged;
        }
        if (!*delivery || unacknowledged == acknowledge_after) {
            going_on = acknowledge();
            unacknowledged = 0;
        }
    }
    if (going_on && std::cout) going_on = acknowledge();
    return going_on ? 0 : fail_with(going_on.error(), common.json);
}

}  // namespace flowfabric::cli
