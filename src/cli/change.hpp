#pragma once

#include <utility>

#include "api/type.hpp"
#include "cli/place.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/client.hpp"

namespace flowfabric::cli {

// Calls the command and shows its answer: as JSON, or as the line that people get.
template <class Command, class Line>
int run_change(const CommonOptions& common, Missing missing, Command command, Line line) {
    const auto client = open_client(common, missing);
    if (!client) return fail_with(client.error(), common.json);
    const auto changed = (*client)->call(std::move(command));
    if (!changed) return fail_with(changed.error(), common.json);
    if (common.json) {
        print_json(api::to_json(*changed));
    } else {
        print_line(line(*changed));
    }
    return 0;
}

}  // namespace flowfabric::cli
