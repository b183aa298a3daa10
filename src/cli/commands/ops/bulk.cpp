#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/criteria_options.hpp"
#include "cli/text/output.hpp"
#include "cli/text/progress_bar.hpp"
#include "flowfabric/bulk.hpp"

// `ff bulk`: one action on all executions that match.
namespace flowfabric::cli {
namespace {

struct BulkOptions {
    BulkAction action = BulkAction::cancel;
    ExecutionCriteria filter;
    std::string reason;
    bool preview = false;
    bool wait = false;
};

struct BulkListOptions {
    std::optional<std::string> after;
    std::uint32_t limit = 50;
};

struct BulkIdOptions {
    std::string id;
};

Result<BulkOperationId> bulk_argument(const std::string& text) {
    auto id = BulkOperationId::parse(text);
    if (!id) return invalid_input("id", "must be the id of a bulk operation, a UUID");
    return id;
}

void print_bulk(const BulkOperationView& operation) {
    Facts facts;
    facts.add("operation_id", operation.operation_id.to_string());
    facts.add("action", std::string(to_string(operation.action)));
    facts.add("state", std::string(to_string(operation.state)));
    facts.add("reason", printable(operation.reason));
    facts.add("requester", printable(operation.requester));
    facts.add("created_at", iso_time(operation.created_at_ms));
    facts.add("ended_at", iso_time(operation.ended_at_ms));
    facts.add("open", fmt::to_string(operation.open_count));
    facts.add("done", fmt::to_string(operation.done_count));
    facts.add("skipped", fmt::to_string(operation.skipped_count));
    facts.add("failed", fmt::to_string(operation.failed_count));
    facts.print();
}

int show_bulk(const Result<BulkOperationView>& operation, bool json) {
    if (!operation) return fail_with(operation.error(), json);
    if (json) {
        print_json(api::to_json(*operation));
    } else {
        print_bulk(*operation);
    }
    return 0;
}

int preview_bulk(Client& client, const BulkOptions& options, bool json) {
    const auto preview = client.read(PreviewBulkOperation{.action = options.action, .filter = options.filter});
    if (!preview) return fail_with(preview.error(), json);
    if (json) {
        print_json(api::to_json(*preview));
        return 0;
    }
    print_line(fmt::format("{}{} executions would get {}", preview->complete ? "" : "at least ", preview->count,
                           to_string(options.action)));
    if (preview->sample.empty()) return 0;
    Table table({"execution_id", "public_state", "lane_id", "execution_kind", "created_at"});
    for (const auto& execution : preview->sample) {
        table.add({execution.execution_id.to_string(), std::string(to_string(execution.public_state)),
                   printable(execution.lane_id), printable(execution.execution_kind),
                   iso_time(execution.created_at_ms)});
    }
    table.print();
    return 0;
}

Result<BulkOperationView> found_bulk(Client& client, const BulkOperationId& id) {
    const auto operation = client.read(GetBulkOperation{id});
    if (!operation) return operation.error();
    if (*operation) return **operation;
    return EngineError{.kind = ErrorKind::bulk_operation_not_found, .detail = id.to_string(), .not_active = {}};
}

// Before all that match are found there is no telling which part of them is dealt with.
void show_progress(ProgressBar& progress, const BulkOperationView& operation) {
    const auto dealt_with = operation.done_count + operation.skipped_count + operation.failed_count;
    const auto found = dealt_with + operation.open_count;
    const auto total = operation.searched ? std::optional(found) : std::nullopt;
    progress.show(dealt_with, total, fmt::format("{} of {}{}", dealt_with, found, total ? "" : " found so far"));
}

// Until nothing is left to do.
Result<BulkOperationView> finished_bulk(Client& client, BulkOperationView operation) {
    constexpr std::chrono::milliseconds between_looks{200};
    ProgressBar progress(std::string(to_string(operation.action)));
    while (operation.state == BulkState::running) {
        show_progress(progress, operation);
        std::this_thread::sleep_for(between_looks);
        auto next = found_bulk(client, operation.operation_id);
        if (!next) return next;
        operation = *std::move(next);
    }
    return operation;
}

int run_bulk_start(const CommonOptions& common, const BulkOptions& options) {
    // A store's own engine works it off while this command waits.
    const auto session = open_session(common, Missing::refuse, options.wait ? Reconcilers::on : Reconcilers::off);
    if (!session) return fail_with(session.error(), common.json);
    Client& client = (*session)->client();
    if (options.preview) return preview_bulk(client, options, common.json);
    StartBulkOperation command{
        .action = options.action, .filter = options.filter, .reason = options.reason, .requester = "ff"};
    auto operation = client.call(std::move(command));
    if (operation && options.wait) operation = finished_bulk(client, *std::move(operation));
    return show_bulk(operation, common.json);
}

int run_bulk_show(const CommonOptions& common, const BulkIdOptions& options) {
    const auto id = bulk_argument(options.id);
    if (!id) return fail_with(id.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    return show_bulk(found_bulk(**client, *id), common.json);
}

int run_bulk_stop(const CommonOptions& common, const BulkIdOptions& options) {
    const auto id = bulk_argument(options.id);
    if (!id) return fail_with(id.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    return show_bulk((*client)->call(CancelBulkOperation{*id}), common.json);
}

Result<BulkOperationPage> bulk_page(const CommonOptions& common, const BulkListOptions& options) {
    ListBulkOperations query{.after = {}, .limit = options.limit};
    if (options.after) {
        const auto after = bulk_argument(*options.after);
        if (!after) return after.error();
        query.after = *after;
    }
    const auto client = open_client(common);
    if (!client) return client.error();
    return (*client)->read(query);
}

int run_bulk_list(const CommonOptions& common, const BulkListOptions& options) {
    const auto page = bulk_page(common, options);
    if (!page) return fail_with(page.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*page));
        return 0;
    }
    if (page->operations.empty()) {
        print_line("No bulk operations.");
        return 0;
    }
    Table table({"operation_id", "action", "state", "open", "done", "skipped", "failed", "created_at"});
    for (const auto& operation : page->operations) {
        table.add({operation.operation_id.to_string(), std::string(to_string(operation.action)),
                   std::string(to_string(operation.state)), fmt::to_string(operation.open_count),
                   fmt::to_string(operation.done_count), fmt::to_string(operation.skipped_count),
                   fmt::to_string(operation.failed_count), iso_time(operation.created_at_ms)});
    }
    table.print();
    if (page->next) print_line("\nmore: --after " + page->next->to_string());
    return 0;
}

void add_bulk_start(CommandTable& table, CLI::App& bulk, BulkAction action, const std::string& help,
                    const std::vector<std::string>& examples) {
    auto added = table.add_to(bulk, std::string(to_string(action)), help, run_bulk_start);
    auto& command = added.command;
    auto& options = added.options;
    options.action = action;
    add_criteria(command, options.filter);
    command.add_option("--reason", options.reason, "Why, for those who look at it later")->type_name("TEXT");
    command.add_flag("--preview", options.preview, "Only count them, and show some");
    command.add_flag("--wait", options.wait, "Wait until it is done");
    add_examples(command, examples);
}

}  // namespace

void add_bulk(CommandTable& table) {
    auto& bulk = table.add_group("bulk", "Cancel, replay or purge all executions that match");
    add_bulk_start(table, bulk, BulkAction::cancel,
                   "Cancel what has not ended and matches; with no filter nothing does",
                   {"ff bulk cancel --lane mail --preview", "ff bulk cancel --lane mail --reason 'not needed' --wait"});
    add_bulk_start(table, bulk, BulkAction::replay, "Replay what has failed or expired and matches",
                   {"ff bulk replay --kind send --newer-than 1h --wait"});
    add_bulk_start(table, bulk, BulkAction::purge, "Remove what has ended and matches; members of flows refuse",
                   {"ff bulk purge --kind send --older-than 30d --preview",
                    "ff bulk purge --tag shop.customer=ada --reason 'asked to be forgotten' --wait"});
    auto listed = table.add_to(bulk, "list", "List bulk operations of the last 30 days", run_bulk_list);
    listed.command.add_option("--limit", listed.options.limit, "At most this many, up to 1000")->capture_default_str();
    listed.command.add_option("--after", listed.options.after, "Continue after this id")->type_name("ID");
    add_examples(listed.command, {"ff bulk list --json"});
    auto shown = table.add_to(bulk, "show", "Show how far a bulk operation is", run_bulk_show);
    add_id(shown.command, shown.options.id, "The bulk operation's id");
    add_examples(shown.command, {"ff bulk show 01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69"});
    auto stopped = table.add_to(bulk, "stop", "End a bulk operation; what it has done stays done", run_bulk_stop);
    add_id(stopped.command, stopped.options.id, "The bulk operation's id");
    add_examples(stopped.command, {"ff bulk stop 01a1edbe-cf49-7ad4-aa04-0aa59e8fcf69"});
}

}  // namespace flowfabric::cli
