#include <chrono>

#include "api/type.hpp"
#include "cli/commands/task/task_commands.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"
#include "core/base/base64.hpp"
#include "flowfabric/suspend.hpp"

namespace flowfabric::cli {
namespace {

using std::chrono::milliseconds;
namespace json = boost::json;

std::int64_t time_in(milliseconds wait) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<milliseconds>(now + wait).count();
}

int tell(const CommonOptions& common, const json::object& outcome) {
    const auto told = tell_worker(outcome);
    return told ? 0 : fail_with(told.error(), common.json);
}

struct TaskCompleteOptions {
    std::string result;
    std::optional<std::string> encoding;
};

int run_task_complete(const CommonOptions& common, const TaskCompleteOptions& options) {
    const auto result = read_text_argument(options.result);
    if (!result) return fail_with(result.error(), common.json);
    json::object outcome{{"outcome", "complete"}, {"result_b64", to_base64(*result)}};
    if (options.encoding) outcome["result_encoding"] = *options.encoding;
    return tell(common, outcome);
}

struct TaskFailOptions {
    std::string reason;
    std::string category = "transient";
};

int run_task_fail(const CommonOptions& common, const TaskFailOptions& options) {
    return tell(common, {{"outcome", "fail"}, {"reason", options.reason}, {"category", options.category}});
}

struct TaskDelayOptions {
    milliseconds time{0};
};

int run_task_delay(const CommonOptions& common, const TaskDelayOptions& options) {
    return tell(common, {{"outcome", "delay"}, {"delay_until_ms", time_in(options.time)}});
}

struct TaskSuspendOptions {
    std::optional<std::string> signal;
    std::string waitpoint = "signal";
    std::optional<milliseconds> timeout;
    std::optional<TimeoutBehavior> on_timeout;
    SuspensionReason reason = SuspensionReason::waiting_for_signal;
    std::optional<std::string> condition;
};

Result<json::object> suspension_of(const TaskSuspendOptions& options) {
    Suspend wait;
    wait.waitpoints = {FreshWaitpoint{.waitpoint_id = std::nullopt, .waitpoint_key = options.waitpoint}};
    wait.resume_condition.node =
        Single{options.waitpoint, options.signal ? SignalMatcher(ByName{*options.signal}) : SignalMatcher(Wildcard{})};
    if (options.condition) {
        const auto text = read_text_argument(*options.condition);
        if (!text) return text.error();
        auto condition = ResumeCondition::parse(*text);
        if (!condition) return condition.error();
        wait.resume_condition = *std::move(condition);
    }
    wait.reason_code = options.reason;
    if (options.timeout) wait.timeout_at_ms = time_in(*options.timeout);
    wait.timeout_behavior = options.on_timeout;
    auto fields = api::to_json(wait).as_object();
    fields.erase("lease");
    fields["outcome"] = "suspend";
    return fields;
}

int run_task_suspend(const CommonOptions& common, const TaskSuspendOptions& options) {
    const auto outcome = suspension_of(options);
    return outcome ? tell(common, *outcome) : fail_with(outcome.error(), common.json);
}

void add_task_suspend(CommandTable& table, CLI::App& task) {
    auto added = table.add_local(task, "suspend", "Wait for a signal; the program runs again when it has come",
                                 run_task_suspend);
    auto& command = added.command;
    auto& options = added.options;
    auto* name = command.add_option("--for", options.signal, "The signal's name; by default any")->type_name("NAME");
    command.add_option("--waitpoint", options.waitpoint, "The name of the waitpoint that it is sent to")
        ->capture_default_str();
    add_duration(command, "--timeout", "How long to wait; by default as the policy says, else for ever",
                 [&options](auto timeout) { options.timeout = timeout; });
    add_choice<TimeoutBehavior>(command, "--on-timeout", "What becomes of it then; by default as the policy says",
                                [&options](TimeoutBehavior behavior) { options.on_timeout = behavior; });
    add_choice<SuspensionReason>(command, "--reason", "Why it waits",
                                 [&options](SuspensionReason reason) { options.reason = reason; })
        ->type_name("REASON")
        ->default_str("waiting_for_signal");
    command
        .add_option("--condition", options.condition,
                    "Any resume condition instead: JSON text, @FILE, or - for standard input")
        ->type_name("JSON|@FILE|-")
        ->excludes(name);
    add_examples(
        command,
        {"ff task suspend --for approved --timeout 2d --on-timeout fail",
         "if answer=$(ff task signals approved); then echo \"$answer\"; else ff task suspend --for approved; fi"});
}

}  // namespace

void add_task_outcomes(CommandTable& table, CLI::App& task) {
    auto [complete, success] =
        table.add_local(task, "complete", "Complete the task with this result", run_task_complete);
    complete.add_option("result", success.result, "The result: text, @FILE, or - for standard input")
        ->type_name("TEXT|@FILE|-");
    complete.add_option("--encoding", success.encoding, "What the result is, a note for its readers");
    add_examples(complete, {"ff task complete '{\"refunded\": 2500}' --encoding json"});

    auto [fail, failure] =
        table.add_local(task, "fail", "Fail the attempt; the policy decides whether another follows", run_task_fail);
    fail.add_option("reason", failure.reason, "Why, for people")->required()->type_name("TEXT");
    fail.add_option("--category", failure.category, "Why, for the policy: transient, permanent or your own")
        ->capture_default_str();
    add_examples(fail, {"ff task fail 'no such month' --category permanent"});

    auto added =
        table.add_local(task, "delay", "Run the program again after this time, as the same attempt", run_task_delay);
    add_duration(added.command, "time", "How long to wait", [&options = added.options](auto time) {
        options.time = time;
    })->required();
    add_examples(added.command, {"ff task delay 10m"});
    add_task_suspend(table, task);
}

}  // namespace flowfabric::cli
