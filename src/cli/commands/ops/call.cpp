#include <future>

#include "api/operations.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/json_input.hpp"
#include "cli/text/nearest.hpp"
#include "cli/text/output.hpp"
#include "cli/text/text_argument.hpp"

namespace flowfabric::cli {
namespace {

namespace json = boost::json;

struct CallOptions {
    std::string operation;
    std::string request = "{}";
};

Result<std::any> answer_of(Client& client, std::variant<Commands, Queries> asked) {
    if (auto* query = std::get_if<Queries>(&asked)) return client.read_any(std::move(*query));
    const auto answer = std::make_shared<std::promise<Result<std::any>>>();
    auto answered = answer->get_future();
    client.submit_any(
        std::get<Commands>(std::move(asked)), [answer](Result<std::any> given) { answer->set_value(std::move(given)); },
        Client::AnswerOn::any_thread);
    return answered.get();
}

EngineError unknown_operation(const std::string& name) {
    std::vector<std::string> known;
    for (const api::OperationEntry& entry : api::operations()) known.emplace_back(entry.operation.name);
    return invalid_input("operation", "there is none by the name " + name + did_you_mean(name, known));
}

Result<json::value> call_operation(const CommonOptions& common, const CallOptions& options) {
    const api::OperationEntry* operation = api::find_operation(options.operation);
    if (operation == nullptr) return unknown_operation(options.operation);
    const auto text = read_text_argument(options.request);
    if (!text) return text.error();
    const auto request = parse_json(*text);
    if (!request) return request.error();
    auto asked = operation->parse(*request, {});
    if (!asked) return asked.error();
    const auto client = open_client(common, operation->changes ? Missing::create : Missing::refuse);
    if (!client) return client.error();
    const auto answer = answer_of(**client, *std::move(asked));
    if (!answer) return answer.error();
    return operation->present(*answer);
}

int run_call(const CommonOptions& common, const CallOptions& options) {
    const auto answer = call_operation(common, options);
    if (!answer) return fail_with(answer.error(), common.json);
    print_json(*answer);
    return 0;
}

}  // namespace

void add_call(CommandTable& table) {
    auto [command, options] =
        table.add("call", "Carry out any operation of the API, also one without a command of its own", run_call);
    command.add_option("operation", options.operation, "Its name, as /docs of a server lists it")
        ->required()
        ->type_name("NAME");
    command
        .add_option("request", options.request,
                    "Its request: JSON, @FILE, or - for standard input, which keep secrets out of sight; by default {}")
        ->type_name("JSON|@FILE|-");
    add_examples(command, {"ff call list_suspended", "ff call seed_waitpoint_hmac_secret @request.json",
                           R"(ff call describe_lane '{"lane_id": "mail"}')"});
}

}  // namespace flowfabric::cli
