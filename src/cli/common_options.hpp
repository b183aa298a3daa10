#pragma once

#include <string>

namespace flowfabric::cli {

// What nearly every command takes.
struct StoreOptions {
    std::string store;  // empty: the embedded file in the data directory
    bool migrate = true;
};

struct CommonOptions {
    StoreOptions store;
    bool json = false;
};

}  // namespace flowfabric::cli
