#pragma once

#include <string>
#include <vector>

namespace flowfabric::cli {

// What nearly every command takes.
struct StoreOptions {
    std::string store;  // empty: as the environment says, else the embedded file in the data directory
    bool migrate = true;
};

struct CommonOptions {
    StoreOptions store;
    std::string server;  // the URL of one to talk to instead of the store; empty: none is given
    bool json = false;
    // What stands behind `worker … --` and `bench`: a program and its arguments, which no grammar is applied to.
    std::vector<std::string> taken_as_they_are;
};

}  // namespace flowfabric::cli
