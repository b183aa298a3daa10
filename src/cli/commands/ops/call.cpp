#include <future>

#include <boost/json/parse.hpp>

#include "api/operations.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"

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

Result<json::value> call_operation(const CommonOptions& common, const CallOptions& options) {
    const api::OperationEntry* operation = api::find_operation(options.operation);
    if (operation == nullptr) return invalid_input("operation", "there is none by the name " + options.operation);
    boost::system::error_code failure;
    const json::value request = json::parse(options.request, failure);
    if (failure) return invalid_input("request", "is no JSON: " + failure.message());
    auto asked = operation->parse(request, {});
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
    command.add_option("request", options.request, "Its request in JSON; by default {}")->type_name("JSON");
    add_examples(command,
                 {"ff call list_suspended", R"(ff call set_worker_mode '{"worker_id": "w", "mode": "quiet"}')"});
}

}  // namespace flowfabric::cli
