#pragma once

#include "cli/common_options.hpp"
#include "cli/text/submission.hpp"

namespace flowfabric::cli {

// One execution per line of a file.
int run_submit_many(const CommonOptions& common, const SubmitOptions& options);

}  // namespace flowfabric::cli
