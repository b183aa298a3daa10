#include <boost/json/parse.hpp>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/commands/execution/waitpoint_choice.hpp"
#include "cli/place.hpp"
#include "cli/secret_variable.hpp"
#include "cli/text/id_argument.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"

namespace flowfabric::cli {
namespace {

struct SignalOptions {
    std::string id;
    std::string name;
    std::string waitpoint;
    std::optional<std::string> payload;
    std::string category = "signal";
    std::string source_type = "user";
    std::string source;
    std::string idempotency_key;
};

// As FF_WAITPOINT_TOKEN has it, else as an operator may read it.
Result<std::string> token_for(Client& client, const ExecutionId& id, const WaitpointId& waitpoint) {
    auto given = secret_of_environment("FF_WAITPOINT_TOKEN");
    if (!given) return given.error();
    if (*given) return std::move((*given)->text);
    auto token = client.read_waitpoint_token(id, waitpoint);
    if (!token) return token.error();
    if (!*token) return invalid_input("waitpoint", "it is unknown or closed");
    return **std::move(token);
}

// A holder of a token need not be allowed to list waitpoints, if the id says which.
Result<WaitpointId> waitpoint_of(Client& client, const ExecutionId& id, const std::string& name) {
    if (auto named = WaitpointId::parse(name)) return named;
    const auto chosen = choose_waitpoint(client, id, name);
    if (!chosen) return chosen.error();
    return chosen->waitpoint_id;
}

Result<SignalOutcome> send_signal(const CommonOptions& common, const SignalOptions& options) {
    const auto client = open_client(common);
    if (!client) return client.error();
    const auto id = execution_argument(**client, options.id);
    if (!id) return id.error();
    const auto waitpoint = waitpoint_of(**client, *id, options.waitpoint);
    if (!waitpoint) return waitpoint.error();
    auto token = token_for(**client, *id, *waitpoint);
    if (!token) return token.error();

    DeliverSignal signal;
    signal.execution_id = *id;
    signal.waitpoint_id = *waitpoint;
    signal.waitpoint_token = *std::move(token);
    signal.signal_name = options.name;
    signal.signal_category = options.category;
    signal.source_type = options.source_type;
    const auto user = environment("USER");
    signal.source_identity = !options.source.empty() ? options.source : user.empty() ? "ff" : user;
    signal.idempotency_key = options.idempotency_key;
    if (options.payload) {
        auto payload = read_text_argument(*options.payload);
        if (!payload) return payload.error();
        boost::system::error_code not_json;
        boost::json::parse(*payload, not_json);
        if (not_json) signal.payload_encoding = "text";
        signal.payload = *std::move(payload);
    }
    return (*client)->deliver_signal(std::move(signal));
}

int run_signal(const CommonOptions& common, const SignalOptions& options) {
    const auto outcome = send_signal(common, options);
    if (!outcome) return fail_with(outcome.error(), common.json);
    print_signal_outcome(*outcome, common.json);
    return 0;
}

}  // namespace

void add_signal(CommandTable& table) {
    auto [command, options] = table.add("signal", "Send a signal to an execution that waits for one", run_signal);
    add_id(command, options.id, "The execution's id");
    command.add_option("name", options.name, "What the signal is called")->required()->type_name("NAME");
    command.add_option("--waitpoint", options.waitpoint, "The key or id of the waitpoint, if there are several")
        ->type_name("WAITPOINT");
    command.add_option("--payload", options.payload, "What there is to say: text, @FILE, or - for standard input")
        ->type_name("TEXT|@FILE|-");
    command.add_option("--category", options.category, "The sender's category for it")->capture_default_str();
    command.add_option("--source-type", options.source_type, "What kind of sender it is")->capture_default_str();
    command.add_option("--source", options.source, "Which sender it is; by default the user");
    command.add_option("--idempotency-key", options.idempotency_key,
                       "A second signal with this key is not accepted again");
    command.footer(
        "The waitpoint's token is what FF_WAITPOINT_TOKEN holds, or the file that FF_WAITPOINT_TOKEN_FILE names.\n"
        "Without one, an operator's right to read it is used.");
    add_examples(command,
                 {"ff signal '{fp:32}:01a1edbd-5876-779f-8e55-23416a6eca5e' approved --payload '{\"limit\": 3000}'"});
}

}  // namespace flowfabric::cli
