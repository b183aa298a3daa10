#include <boost/json/array.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::cli {

int run_migrate(const CommonOptions& common) {
    const auto store = store_url(common.store);
    if (!store) return fail_with(store.error(), common.json);
    const auto applied = migrate(*store);
    if (!applied) return fail_with(applied.error(), common.json);

    if (common.json) {
        const boost::json::array steps(applied->begin(), applied->end());
        print_json(boost::json::object{{"store", store_for_display(*store)}, {"applied", steps}});
        return 0;
    }
    for (const auto& step : *applied) print_line("applied " + step);
    if (applied->empty()) print_line("The schema of " + store_for_display(*store) + " is current.");
    return 0;
}

}  // namespace flowfabric::cli
