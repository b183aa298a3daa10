#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/execution_output.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct AttemptsOptions {
    std::string id;
    std::optional<std::uint32_t> index;
};

struct OneAttempt {
    AttemptView attempt;
    AttemptResult result;
};

Result<std::vector<AttemptView>> attempts_of(Client& client, const std::string& text) {
    const auto id = execution_argument(client, text);
    if (!id) return id.error();
    const auto state = client.read_execution_state(*id);
    if (!state) return state.error();
    if (!*state) return execution_not_found(text);
    return client.list_attempts(*id);
}

Result<OneAttempt> attempt_of(Client& client, const std::string& text, std::uint32_t index) {
    const auto id = execution_argument(client, text);
    if (!id) return id.error();
    const auto attempt = client.read(GetAttempt{*id, index});
    if (!attempt) return attempt.error();
    auto result = client.read(GetAttemptResult{*id, index});
    if (!result) return result.error();
    return OneAttempt{*attempt, *std::move(result)};
}

int show_all(const Result<std::vector<AttemptView>>& attempts, const std::string& id, bool json) {
    if (!attempts) return fail_with(attempts.error(), json);
    if (json) {
        print_json(boost::json::object{{"execution_id", id}, {"attempts", api::to_json(*attempts)}});
    } else if (attempts->empty()) {
        print_line("No attempts.");
    } else {
        print_attempts(*attempts);
    }
    return 0;
}

int show_one(const Result<OneAttempt>& one, bool json) {
    if (!one) return fail_with(one.error(), json);
    if (json) {
        auto shown = api::to_json(one->attempt);
        const auto result = api::to_json(one->result);
        shown.as_object().insert(result.as_object().begin(), result.as_object().end());
        print_json(shown);
        return 0;
    }
    print_attempts({one->attempt});
    if (one->result.superseded) print_line("\nIts result went when the execution was replayed.");
    if (one->result.result) print_result(*one->result.result);
    return 0;
}

int run_attempts(const CommonOptions& common, const AttemptsOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.index) return show_one(attempt_of(**client, options.id, *options.index), common.json);
    return show_all(attempts_of(**client, options.id), options.id, common.json);
}

}  // namespace

void add_attempts(CommandTable& table) {
    auto added = table.add("attempts", "List the attempts of an execution", run_attempts);
    add_id(added.command, added.options.id, "The execution's id");
    added.command.add_option("--index", added.options.index, "Only this one, with its result")->type_name("N");
    add_examples(added.command, {"ff attempts '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e'",
                                 "ff attempts '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' --index 0 --json"});
}

}  // namespace flowfabric::cli
