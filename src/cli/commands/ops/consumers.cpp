#include <fmt/format.h>
#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/cursor_text.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

boost::json::object json_of(const ConsumerView& consumer) {
    return {{"channel", to_string(consumer.channel)},
            {"consumer", consumer.name},
            {"cursor", cursor_text(consumer.cursor)},
            {"registered_at_ms", consumer.registered_at_ms},
            {"acknowledged_at_ms", consumer.acknowledged_at_ms}};
}

int print_consumers(Engine& engine, bool as_json) {
    const auto consumers = engine.list_consumers();
    if (!consumers) return fail_with(consumers.error(), as_json);
    if (as_json) {
        boost::json::array array;
        for (const auto& consumer : *consumers) array.push_back(json_of(consumer));
        print_json(boost::json::object{{"consumers", std::move(array)}});
        return 0;
    }
    if (consumers->empty()) {
        print_line("No consumers.");
        return 0;
    }
    Table table({"channel", "consumer", "cursor", "registered", "acknowledged"});
    for (const auto& consumer : *consumers) {
        table.add({std::string(to_string(consumer.channel)), printable(consumer.name), cursor_text(consumer.cursor),
                   iso_time(consumer.registered_at_ms), iso_time(consumer.acknowledged_at_ms)});
    }
    table.print();
    return 0;
}

int remove_consumer(Engine& engine, const ConsumersOptions& options, bool as_json) {
    const auto removed = engine.remove_consumer({options.channel, options.consumer});
    if (!removed) return fail_with(removed.error(), as_json);
    if (as_json) {
        print_json(boost::json::object{{"removed", removed->existed}});
    } else {
        print_line(fmt::format("{} {} on {}", removed->existed ? "removed" : "there is no", printable(options.consumer),
                               to_string(options.channel)));
    }
    return 0;
}

}  // namespace

int run_consumers(const CommonOptions& common, const ConsumersOptions& options) {
    const auto engine = open_existing(common.store);
    if (!engine) return fail_with(engine.error(), common.json);
    if (options.remove) return remove_consumer(**engine, options, common.json);
    return print_consumers(**engine, common.json);
}

}  // namespace flowfabric::cli
