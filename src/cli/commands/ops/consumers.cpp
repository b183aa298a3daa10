#include <fmt/format.h>

#include "api/type.hpp"
#include "cli/commands.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "core/base/hex.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {
namespace {

int print_consumers(Engine& engine, bool as_json) {
    const auto consumers = engine.list_consumers();
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

int remove_consumer(Engine& engine, const ConsumersOptions& options, bool as_json) {
    const auto removed = engine.remove_consumer({options.channel, options.consumer});
    if (!removed) return fail_with(removed.error(), as_json);
    if (as_json) {
        print_json(api::to_json(*removed));
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
