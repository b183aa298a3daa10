#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/command_table.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {
namespace {

struct ConsumersOptions {
    bool remove = false;  // otherwise list
    Channel channel = Channel::completion;
    std::string consumer;
};

int print_consumers(Client& client, bool as_json) {
    const auto consumers = client.list_consumers();
    if (!consumers) return fail_with(consumers.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"consumers", api::to_json(*consumers)}});
        return 0;
    }
    if (consumers->empty()) {
        print_line("No consumers.");
        return 0;
    }
    Table table({"channel", "consumer", "cursor", "registered_at", "acknowledged_at"});
    for (const auto& consumer : *consumers) {
        table.add({std::string(to_string(consumer.channel)), printable(consumer.name), hex_of(consumer.cursor),
                   iso_time(consumer.registered_at_ms), iso_time(consumer.acknowledged_at_ms)});
    }
    table.print();
    return 0;
}

int remove_consumer(Client& client, const ConsumersOptions& options, bool as_json) {
    const auto removed = client.remove_consumer({options.channel, options.consumer});
    if (!removed) return fail_with(removed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*removed));
    } else {
        print_line(fmt::format("{} {} on {}", removed->existed ? "removed" : "there is no", printable(options.consumer),
                               to_string(options.channel)));
    }
    return 0;
}

int run_consumers(const CommonOptions& common, const ConsumersOptions& options) {
    const auto client = open_client(common);
    if (!client) return fail_with(client.error(), common.json);
    if (options.remove) return remove_consumer(**client, options, common.json);
    return print_consumers(**client, common.json);
}

}  // namespace

void add_consumers(CommandTable& table) {
    auto added = table.add("consumers", "List the durable consumers of events, or remove one", run_consumers);
    auto& command = added.command;
    auto& options = added.options;
    auto* action = add_choice_of(command, "action", "What to do with the consumer", {"remove"},
                                 [&options](const std::string&) { options.remove = true; });
    action->needs(command.add_option("consumer", options.consumer, "The consumer's name"));
    add_channel(command, options.channel);
    command.footer("Events that a consumer has not acknowledged are kept. Remove one that will not come back.");
    add_examples(command, {"ff consumers", "ff consumers remove billing --channel completion"});
}

}  // namespace flowfabric::cli
