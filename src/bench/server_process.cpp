#include "bench/server_process.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "bench/support.hpp"

namespace flowfabric::bench {
namespace {

std::string program_beside_this() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ff";
}

// The port in the line that announces the server; nothing in any other.
std::optional<std::uint16_t> announced_port(std::string_view line) {
    boost::system::error_code failure;
    const auto document = boost::json::parse(line, failure);
    if (failure || !document.is_object() || !document.get_object().contains("url")) return std::nullopt;
    const std::string_view url(document.at("url").as_string());
    return static_cast<std::uint16_t>(number_in(url.substr(url.rfind(':') + 1)));
}

}  // namespace

ServerProcess::ServerProcess(const std::string& store_url)
    : process_({program_beside_this(), "server", "--json", "--listen", "127.0.0.1:0"}, {{"FF_STORE", store_url}},
               {.on_line =
                    [this](std::string_view line) {
                        const auto port = announced_port(line);
                        if (!port || std::exchange(is_announced_, true)) return;
                        announced_.set_value(*port);
                    },
                .on_end =
                    [this] {
                        if (!std::exchange(is_announced_, true)) announced_.set_value(0);
                    }},
               SIGTERM) {}

Result<std::unique_ptr<ServerProcess>> ServerProcess::start(const std::string& store_url) {
    try {
        std::unique_ptr<ServerProcess> server(new ServerProcess(store_url));
        server->port_ = server->announced_.get_future().get();
        if (server->port_ == 0) return broken("ff server ended before it served");
        return server;
    } catch (const std::system_error& error) {
        return broken(fmt::format("cannot start ff server: {}", error.what()));
    }
}

std::uint64_t ServerProcess::resident_bytes() const {
    std::ifstream file(fmt::format("/proc/{}/statm", process_.pid()));
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

double ServerProcess::cpu_seconds() const {
    std::ifstream file(fmt::format("/proc/{}/stat", process_.pid()));
    std::ostringstream text;
    text << file.rdbuf();
    // The name in brackets may hold blanks. Behind it come eleven fields, then the ticks in user and system mode.
    const std::string line = text.str();
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace flowfabric::bench
