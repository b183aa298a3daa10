#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/type.hpp"
#include "cli/change.hpp"
#include "cli/command_table.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"
#include "flowfabric/read_all.hpp"
#include "flowfabric/webhook.hpp"

// `ff webhooks`: addresses that servers send events to.
namespace flowfabric::cli {
namespace {

struct WebhookCreateOptions {
    CreateWebhook create;
    std::optional<std::string> from;
};

struct WebhookRedeliverOptions {
    RedeliverWebhookEvents redeliver;
    bool all = false;
};

int run_webhook_create(const CommonOptions& common, const WebhookCreateOptions& options) {
    CreateWebhook command = options.create;
    if (options.from) {
        auto cursor = bytes_of_hex(*options.from);
        if (!cursor) return fail_with(invalid_input("from", "must be a cursor: hexadecimal digits"), common.json);
        command.cursor = *std::move(cursor);
    }
    return run_change(common, Missing::create, std::move(command),
                      [](const WebhookCreated& created) { return created.secret; });
}

int run_webhook_update(const CommonOptions& common, const UpdateWebhook& command) {
    return run_change(common, Missing::refuse, command, [](const WebhookView& webhook) {
        return fmt::format("{}: {}", printable(webhook.name), to_string(webhook.state));
    });
}

int run_webhook_rotate(const CommonOptions& common, const RotateWebhookSecret& command) {
    return run_change(common, Missing::refuse, command,
                      [](const WebhookSecretRotated& rotated) { return rotated.secret; });
}

int run_webhook_remove(const CommonOptions& common, const RemoveWebhook& command) {
    return run_change(common, Missing::refuse, command, [&](const WebhookRemoved& removed) {
        return fmt::format("{} {}", removed.existed ? "removed" : "there is no", printable(command.name));
    });
}

int run_webhook_redeliver(const CommonOptions& common, const WebhookRedeliverOptions& options) {
    if (options.all == options.redeliver.event_id.has_value()) {
        return fail_with(invalid_input("event_id", "name an event, or all of them with --all"), common.json);
    }
    return run_change(common, Missing::refuse, options.redeliver, [](const WebhookRedelivery& redelivery) {
        return fmt::format("{} to be sent once more", redelivery.count);
    });
}

int run_webhook_list(const CommonOptions& common, const ListWebhooks& query) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto webhooks = read_all(**client, query, &WebhookPage::webhooks);
    if (!webhooks) return fail_with(webhooks.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"webhooks", api::to_json(*webhooks)}});
        return 0;
    }
    if (webhooks->empty()) {
        print_line("No webhooks.");
        return 0;
    }
    Table table({"name", "state", "channel", "delivered", "set_aside", "last_delivered_at", "url"});
    for (const WebhookView& webhook : *webhooks) {
        table.add({printable(webhook.name), std::string(to_string(webhook.state)),
                   std::string(to_string(webhook.channel)), fmt::to_string(webhook.delivered_count),
                   fmt::to_string(webhook.failed_count), iso_time(webhook.last_delivered_at_ms),
                   printable(webhook.url)});
    }
    table.print();
    return 0;
}

int run_webhook_show(const CommonOptions& common, const GetWebhook& query) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto found = (*client)->read(query);
    if (!found) return fail_with(found.error(), common.json);
    if (!*found) return fail_with({.kind = ErrorKind::webhook_not_found, .detail = query.name}, common.json);
    const WebhookView& webhook = **found;
    if (common.json) {
        print_json(api::to_json(webhook));
        return 0;
    }
    Facts facts;
    facts.add("name", printable(webhook.name));
    facts.add("state", std::string(to_string(webhook.state)));
    facts.add("url", printable(webhook.url));
    facts.add("channel", std::string(to_string(webhook.channel)));
    facts.add("namespace", printable(webhook.namespace_name.value_or("")));
    facts.add("types", printable(fmt::format("{}", fmt::join(webhook.types, ","))));
    facts.add("max_batch", fmt::to_string(webhook.max_batch));
    facts.add("source", printable(webhook.source));
    facts.add("created_at", iso_time(webhook.created_at_ms));
    facts.add("delivered", fmt::to_string(webhook.delivered_count));
    facts.add("last_delivered_at", iso_time(webhook.last_delivered_at_ms));
    facts.add("set_aside", fmt::to_string(webhook.failed_count));
    facts.add("failing_since", iso_time(webhook.failing_since_ms));
    facts.add("attempts", webhook.attempts > 0 ? fmt::to_string(webhook.attempts) : "");
    facts.add("next_attempt_at", iso_time(webhook.next_attempt_at_ms));
    facts.add("last_error", printable(webhook.last_error.value_or("")));
    facts.print();
    return 0;
}

int run_webhook_failures(const CommonOptions& common, const ListWebhookFailures& query) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto page = (*client)->read(query);
    if (!page) return fail_with(page.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*page));
        return 0;
    }
    if (page->failures.empty()) {
        print_line("No events are set aside.");
        return 0;
    }
    Table table({"event_id", "failed_at", "redelivering", "error", "event"});
    for (const WebhookFailure& failure : page->failures) {
        table.add({fmt::to_string(failure.event_id), iso_time(failure.failed_at_ms),
                   failure.redelivering ? "yes" : "no", printable(failure.error), printable(failure.event.text)});
    }
    table.print();
    if (page->next) print_line(fmt::format("\nmore: --after {}", *page->next));
    return 0;
}

void add_webhook_name(CLI::App& command, std::string& name) {
    command.add_option("name", name, "The webhook's name")->required()->type_name("NAME");
}

void add_webhook_create(CommandTable& table, CLI::App& group) {
    auto [command, options] = table.add_to(group, "create",
                                           "Send events to an address, and print the secret that "
                                           "signs them",
                                           run_webhook_create);
    CreateWebhook& create = options.create;
    add_webhook_name(command, create.name);
    command.add_option("url", create.url, "Where events are sent to")->required()->type_name("URL");
    add_channel(command, create.channel);
    command.add_option("--namespace", create.namespace_name, "Only events of this namespace");
    command.add_option("--type", create.types, "Only events of this type, such as failed; repeatable")
        ->allow_extra_args(false);
    command.add_option("--max-batch", create.max_batch, "How many events a request may carry")
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--source", create.source, "The source that events name")->capture_default_str();
    command.add_option("--from", options.from, "Events behind this cursor; otherwise those to come")
        ->type_name("CURSOR");
    add_examples(command, {"ff webhooks create billing https://billing.example.org/hooks --type failed",
                           "ff webhooks create audit https://audit.example.org/in --channel audit --max-batch 100"});
}

void add_webhook_update(CommandTable& table, CLI::App& group) {
    auto [command, options] =
        table.add_to(group, "update", "Change a webhook, which goes on where it is", run_webhook_update);
    add_webhook_name(command, options.name);
    command.add_option("--url", options.url, "Where events are sent to")->type_name("URL");
    command
        .add_option_function<std::vector<std::string>>(
            "--type", [&types = options.types](const std::vector<std::string>& given) { types = given; },
            "Only events of this type; repeatable")
        ->allow_extra_args(false);
    command.add_option("--max-batch", options.max_batch, "How many events a request may carry")->type_name("N");
    add_examples(command, {"ff webhooks update billing --url https://billing.example.org/v2/hooks"});
}

void add_webhook_state(CommandTable& table, CLI::App& group, const std::string& name, const std::string& help,
                       WebhookState state) {
    auto [command, options] = table.add_to(group, name, help, run_webhook_update);
    add_webhook_name(command, options.name);
    options.state = state;
    add_examples(command, {"ff webhooks " + name + " billing"});
}

void add_webhook_reads(CommandTable& table, CLI::App& group) {
    auto listed = table.add_to(group, "list", "List the webhooks", run_webhook_list);
    add_examples(listed.command, {"ff webhooks list"});
    auto [show, shown] = table.add_to(group, "show", "Show a webhook, and how it is doing", run_webhook_show);
    add_webhook_name(show, shown.name);
    add_examples(show, {"ff webhooks show billing"});
    auto [failures, asked] =
        table.add_to(group, "failures", "List the events that were refused and set aside", run_webhook_failures);
    add_webhook_name(failures, asked.name);
    failures.add_option("--limit", asked.limit, "At most this many, up to 1000")->capture_default_str();
    failures.add_option("--after", asked.after, "Continue after this event")->type_name("EVENT");
    add_examples(failures, {"ff webhooks failures billing"});
}

}  // namespace

void add_webhooks(CommandTable& table) {
    auto& group = table.add_group("webhooks", "Send events to addresses of others");
    group.footer("A server sends the events, in their order and at least once; docs/webhooks.md tells what arrives.");
    add_examples(group, {"ff webhooks list", "ff webhooks show billing"});
    add_webhook_create(table, group);
    add_webhook_update(table, group);
    add_webhook_reads(table, group);
    add_webhook_state(table, group, "pause", "Let events wait", WebhookState::paused);
    add_webhook_state(table, group, "resume", "Send events again, also of a webhook that was given up",
                      WebhookState::active);
    auto [rotate, rotation] =
        table.add_to(group, "rotate", "Give a webhook a new secret and print it", run_webhook_rotate);
    add_webhook_name(rotate, rotation.name);
    add_duration(rotate, "--overlap", "How long requests are signed with the secret before as well",
                 [&overlap_ms = rotation.overlap_ms](auto overlap) { overlap_ms = overlap.count(); })
        ->default_str("1d");
    add_examples(rotate, {"ff webhooks rotate billing"});
    auto [redeliver, redelivery] =
        table.add_to(group, "redeliver", "Send events once more that were set aside", run_webhook_redeliver);
    add_webhook_name(redeliver, redelivery.redeliver.name);
    redeliver.add_option("event", redelivery.redeliver.event_id, "The event's id")->type_name("EVENT");
    redeliver.add_flag("--all", redelivery.all, "All of them");
    add_examples(redeliver, {"ff webhooks redeliver billing 1042", "ff webhooks redeliver billing --all"});
    auto [remove, removal] = table.add_to(group, "remove", "End a webhook", run_webhook_remove);
    add_webhook_name(remove, removal.name);
    add_examples(remove, {"ff webhooks remove billing"});
}

}  // namespace flowfabric::cli
