#include <charconv>
#include <map>

#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/change.hpp"
#include "cli/command_table.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/budget.hpp"
#include "flowfabric/read_all.hpp"

// `ff budget`: what may be used, and what is used of it.
namespace flowfabric::cli {
namespace {

using BudgetNumbers = std::map<std::string, std::uint64_t>;

constexpr int refused_by_limit = 1;

struct BudgetCreateOptions {
    std::string id;
    std::string parent;
    BudgetNumbers hard_limits;
    BudgetNumbers soft_limits;
    CreateBudget create;  // the rest
};

struct BudgetUpdateOptions {
    std::string id;
    UpdateBudget update;  // all but the id
};

struct BudgetReportOptions {
    std::string id;
    BudgetNumbers used;
    std::string key;
};

struct BudgetIdOptions {
    std::string id;
};

struct BudgetListOptions {};

Result<BudgetId> budget_argument(std::string_view field, const std::string& text) {
    const auto id = BudgetId::parse(text);
    if (!id) return invalid_input(field, "must be a UUID");
    return *id;
}

std::vector<std::uint64_t> in_order_of(const std::vector<std::string>& dimensions, const BudgetNumbers& limits) {
    std::vector<std::uint64_t> amounts;
    for (const std::string& dimension : dimensions) {
        const auto limit = limits.find(dimension);
        amounts.push_back(limit == limits.end() ? 0 : limit->second);
    }
    return amounts;
}

int run_budget_create(const CommonOptions& common, const BudgetCreateOptions& options) {
    CreateBudget command = options.create;
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    command.budget_id = *id;
    if (!options.parent.empty()) {
        const auto parent = budget_argument("parent_budget_id", options.parent);
        if (!parent) return fail_with(parent.error(), common.json);
        command.parent_budget_id = *parent;
    }
    BudgetNumbers limited = options.hard_limits;
    limited.insert(options.soft_limits.begin(), options.soft_limits.end());
    for (const auto& [dimension, unused] : limited) command.dimensions.push_back(dimension);
    command.hard_limits = in_order_of(command.dimensions, options.hard_limits);
    command.soft_limits = in_order_of(command.dimensions, options.soft_limits);
    return run_change(common, Missing::create, std::move(command), [](const BudgetCreated& created) {
        return fmt::format("{}{}", created.budget_id.to_string(),
                           created.already_there ? " is there already, as it was defined first" : "");
    });
}

int run_budget_update(const CommonOptions& common, const BudgetUpdateOptions& options) {
    UpdateBudget command = options.update;
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    command.budget_id = *id;
    return run_change(common, Missing::refuse, std::move(command), [](const BudgetUpdated& updated) {
        return fmt::format("{} {}", updated.budget_id.to_string(), updated.changed ? "changed" : "is as before");
    });
}

std::string line_of(const UsageOutcome& outcome) {
    const auto whose = [](const std::optional<BudgetId>& above) {
        return above ? " of budget " + above->to_string() : std::string();
    };
    if (const auto* soft = std::get_if<SoftBreach>(&outcome)) {
        return fmt::format("applied; {} is at {}, beyond the limit {}{}", printable(soft->dimension),
                           soft->current_usage, soft->soft_limit, whose(soft->budget_id));
    }
    if (const auto* hard = std::get_if<HardBreach>(&outcome)) {
        return fmt::format("refused; {} is at {} and would go beyond the limit {}{}", printable(hard->dimension),
                           hard->current_usage, hard->hard_limit, whose(hard->budget_id));
    }
    return std::holds_alternative<UsageOk>(outcome) ? "applied" : "applied before, under the same key";
}

// Refused usage is no error of the call, but scripts want to know.
int run_budget_report(const CommonOptions& common, const BudgetReportOptions& options) {
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    const auto client = open_client(common, Missing::refuse);
    if (!client) return fail_with(client.error(), common.json);
    const auto outcome = (*client)->call(ReportUsageAdmin{*id, options.used, options.key});
    if (!outcome) return fail_with(outcome.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*outcome));
    } else {
        print_line(line_of(*outcome));
    }
    return std::holds_alternative<HardBreach>(*outcome) ? refused_by_limit : 0;
}

int run_budget_reset(const CommonOptions& common, const BudgetIdOptions& options) {
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    return run_change(common, Missing::refuse, ResetBudget{*id}, [&](const BudgetReset& reset) {
        const auto& next = reset.next_reset_at_ms;
        return fmt::format("{} reset{}", options.id, next ? "; the next time at " + iso_time(*next) : "");
    });
}

int run_budget_delete(const CommonOptions& common, const BudgetIdOptions& options) {
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    return run_change(common, Missing::refuse, DeleteBudget{*id}, [&](const BudgetDeleted& deleted) {
        return fmt::format("{} {}", deleted.existed ? "deleted" : "there is no", options.id);
    });
}

// tokens 750/1000, and so on; a dimension with a limit is told before it is used.
std::string usage_line(const BudgetStatus& budget) {
    BudgetNumbers dimensions = budget.usage;
    for (const auto& [dimension, limit] : budget.hard_limits) dimensions.emplace(dimension, 0);
    std::string line;
    for (const auto& [dimension, used] : dimensions) {
        const auto limit = budget.hard_limits.find(dimension);
        line += fmt::format("{}{} {}", line.empty() ? "" : ", ", printable(dimension), used);
        if (limit != budget.hard_limits.end() && limit->second > 0) line += fmt::format("/{}", limit->second);
    }
    return line;
}

int run_budget_list(const CommonOptions& common, const BudgetListOptions&) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto budgets = read_all(**client, ListBudgets{}, &BudgetPage::budgets);
    if (!budgets) return fail_with(budgets.error(), common.json);
    if (common.json) {
        print_json(boost::json::object{{"budgets", api::to_json(*budgets)}});
        return 0;
    }
    if (budgets->empty()) {
        print_line("No budgets.");
        return 0;
    }
    Table table({"budget_id", "scope", "mode", "refused", "next_reset_at", "usage"});
    for (const BudgetStatus& budget : *budgets) {
        table.add({budget.budget_id.to_string(), printable(budget.scope_type + " " + budget.scope_id),
                   std::string(to_string(budget.enforcement_mode)), fmt::to_string(budget.breach_count),
                   iso_time(budget.next_reset_at_ms), usage_line(budget)});
    }
    table.print();
    return 0;
}

int run_budget_show(const CommonOptions& common, const BudgetIdOptions& options) {
    const auto id = budget_argument("budget_id", options.id);
    if (!id) return fail_with(id.error(), common.json);
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    const auto found = (*client)->read(GetBudgetStatus{*id});
    if (!found) return fail_with(found.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*found));
        return 0;
    }
    const auto limits = [](const BudgetNumbers& all) {
        std::string line;
        for (const auto& [dimension, limit] : all) {
            if (limit > 0) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", printable(dimension), limit);
        }
        return line;
    };
    Facts facts;
    facts.add("budget_id", found->budget_id.to_string());
    facts.add("parent", found->parent_budget_id ? found->parent_budget_id->to_string() : "");
    facts.add("scope", printable(found->scope_type + " " + found->scope_id));
    facts.add("mode", std::string(to_string(found->enforcement_mode)));
    facts.add("usage", usage_line(*found));
    facts.add("hard_limits", limits(found->hard_limits));
    facts.add("soft_limits", limits(found->soft_limits));
    facts.add("refused", fmt::to_string(found->breach_count));
    facts.add("beyond_limits", fmt::to_string(found->soft_breach_count));
    facts.add("last_refused_at", iso_time(found->last_breach_at_ms));
    facts.add("last_refused_for", printable(found->last_breach_dim.value_or("")));
    facts.add("resets", fmt::to_string(found->reset_count));
    facts.add("last_reset_at", iso_time(found->last_reset_at_ms));
    facts.add("next_reset_at", iso_time(found->next_reset_at_ms));
    facts.add("created_at", iso_time(found->created_at_ms));
    facts.print();
    return 0;
}

void put_number(const std::string& option, const std::string& text, BudgetNumbers& into) {
    const auto equals = text.rfind('=');
    std::uint64_t amount = 0;
    const char* const end = text.data() + text.size();
    const bool named = equals != std::string::npos && equals > 0;
    const auto parsed = named ? std::from_chars(text.data() + equals + 1, end, amount) : std::from_chars_result{};
    if (!named || parsed.ec != std::errc{} || parsed.ptr != end) {
        throw CLI::ValidationError(option, text + " is not DIMENSION=AMOUNT");
    }
    into.insert_or_assign(text.substr(0, equals), amount);
}

CLI::Option* add_numbers(CLI::App& command, const std::string& option, const std::string& help, BudgetNumbers& into) {
    const auto put = [option, &into](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) put_number(option, text, into);
    };
    return command.add_option_function<std::vector<std::string>>(option, put, help)->type_name("DIMENSION=AMOUNT");
}

void add_limits(CLI::App& command, BudgetNumbers& hard_limits, BudgetNumbers& soft_limits) {
    add_numbers(command, "--hard", "What usage may reach; repeatable", hard_limits)->allow_extra_args(false);
    add_numbers(command, "--soft", "What usage may reach without being told of; repeatable", soft_limits)
        ->allow_extra_args(false);
}

void add_budget_id(CLI::App& command, std::string& id) {
    add_id(command, id, "The budget's id, a UUID");
}

std::uint64_t interval_of(std::chrono::milliseconds interval) {
    return static_cast<std::uint64_t>(interval.count());
}

constexpr const char* example_id = "0190a1b2-0000-7000-8000-000000000003";

std::string example(const std::string& before, const std::string& after = "") {
    return "ff budget " + before + " " + example_id + (after.empty() ? "" : " " + after);
}

void add_budget_create(CommandTable& table, CLI::App& group) {
    auto [command, options] = table.add_to(group, "create", "Create a budget", run_budget_create);
    CreateBudget& create = options.create;
    add_budget_id(command, options.id);
    add_limits(command, options.hard_limits, options.soft_limits);
    command.add_option("--scope-type", create.scope_type, "What kind of thing it is for, such as tenant");
    command.add_option("--scope-id", create.scope_id, "Which of them");
    add_choice<EnforcementMode>(command, "--mode", "Whether hard limits refuse: strict, unless it only warns",
                                [&create](EnforcementMode mode) { create.enforcement_mode = mode; });
    add_duration(command, "--every", "How often it is reset; otherwise only by hand",
                 [&create](auto interval) { create.reset_interval_ms = interval_of(interval); });
    command.add_option("--parent", options.parent, "The budget above it, which is charged with it")->type_name("ID");
    add_examples(command, {example("create", "--hard tokens=1000000 --soft tokens=800000 --every 1d")});
}

void add_budget_update(CommandTable& table, CLI::App& group) {
    auto [command, options] =
        table.add_to(group, "update", "Change what a budget allows; its usage stays", run_budget_update);
    UpdateBudget& update = options.update;
    add_budget_id(command, options.id);
    add_limits(command, update.hard_limits, update.soft_limits);
    add_choice<EnforcementMode>(command, "--mode", "Whether hard limits refuse",
                                [&update](EnforcementMode mode) { update.enforcement_mode = mode; });
    add_duration(command, "--every", "How often it is reset; 0s: only by hand",
                 [&update](auto interval) { update.reset_interval_ms = interval_of(interval); });
    command.footer("A limit of 0 is none.");
    add_examples(command, {example("update", "--hard tokens=2000000"), example("update", "--soft tokens=0")});
}

void add_budget_report(CommandTable& table, CLI::App& group) {
    auto [command, options] = table.add_to(group, "report", "Charge a budget with what was used", run_budget_report);
    add_budget_id(command, options.id);
    add_numbers(command, "used", "What was used", options.used)->required();
    command.add_option("--key", options.key, "Within a day a report with the same key is applied once");
    command.footer("The exit code is 1 if a limit refuses it.");
    add_examples(command, {example("report", "tokens=750 calls=1 --key call-17")});
}

}  // namespace

void add_budget(CommandTable& table) {
    auto& group = table.add_group("budget", "Limit what may be used, and see what is");
    add_examples(group, {"ff budget list", example("show")});
    add_budget_create(table, group);
    auto listed = table.add_to(group, "list", "List the budgets", run_budget_list);
    add_examples(listed.command, {"ff budget list"});
    auto [show, shown] = table.add_to(group, "show", "Show a budget, and what is used of it", run_budget_show);
    add_budget_id(show, shown.id);
    add_examples(show, {example("show")});
    add_budget_report(table, group);
    auto [reset, to_reset] = table.add_to(group, "reset", "Set a budget's usage to nothing", run_budget_reset);
    add_budget_id(reset, to_reset.id);
    add_examples(reset, {example("reset")});
    add_budget_update(table, group);
    auto [removal, removed] = table.add_to(group, "delete", "Delete a budget, with its usage", run_budget_delete);
    add_budget_id(removal, removed.id);
    add_examples(removal, {example("delete")});
}

}  // namespace flowfabric::cli
