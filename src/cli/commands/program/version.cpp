#include "cli/commands.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::cli {

int run_version(bool json) {
    if (json) {
        print_json(boost::json::object{{"version", FF_VERSION}});
    } else {
        print_line("ff " FF_VERSION);
    }
    return 0;
}

}  // namespace flowfabric::cli
