#include "e2e/frozen_server.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace flowfabric::test {
namespace {

std::string data_directory() {
    const char* directory = std::getenv("FF_TEST_PGDATA");
    return directory == nullptr ? "" : directory;
}

std::vector<pid_t> children_of(pid_t parent) {
    std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) + "/children");
    std::vector<pid_t> children;
    for (pid_t child = 0; file >> child;) children.push_back(child);
    return children;
}

}  // namespace

bool FrozenServer::possible() {
    return !data_directory().empty();
}

FrozenServer::FrozenServer() {
    pid_t postmaster = 0;
    if (!(std::ifstream(data_directory() + "/postmaster.pid") >> postmaster)) {
        throw std::runtime_error("no postmaster.pid in " + data_directory());
    }
    // It starts no more of them once it is stopped itself.
    stop(postmaster);
    for (const pid_t child : children_of(postmaster)) stop(child);
}

FrozenServer::~FrozenServer() {
    thaw();
}

void FrozenServer::stop(pid_t process) {
    if (kill(process, SIGSTOP) == 0) stopped_.push_back(process);
}

void FrozenServer::thaw() {
    for (const pid_t process : stopped_) kill(process, SIGCONT);
    stopped_.clear();
}

}  // namespace flowfabric::test
