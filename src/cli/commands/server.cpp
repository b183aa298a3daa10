#include <condition_variable>
#include <iostream>
#include <mutex>

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/signals.hpp"
#include "cli/store_location.hpp"
#include "flowfabric/engine.hpp"
#include "server/http_server.hpp"
#include "server/router.hpp"
#include "server/routes/health.hpp"

namespace flowfabric::cli {
namespace {

void announce(const std::string& program, const std::string& url, const std::string& store, bool json) {
    const auto shown = store_for_display(store);
    if (json) {
        print_json(boost::json::object{{"url", url}, {"store", shown}});
    } else {
        print_line("FlowFabric " FF_VERSION " on " + shown);
        print_line(url);
        print_line("");
        print_line("Try next, in another terminal:");
        print_line("  curl " + url + "/healthz");
        print_line(fmt::format("  {} submit --store '{}' --kind hello --payload world", program, shown));
        print_line(fmt::format("  {} worker --store '{}' -- cat", program, shown));
        print_line(fmt::format("  {} list --store '{}'", program, shown));
    }
    std::cout.flush();
}

void wait_for_stop_signal() {
    std::mutex mutex;
    std::condition_variable signaled;
    bool stop = false;
    const SignalWatcher watcher([&] {
        const std::scoped_lock lock(mutex);
        stop = true;
        signaled.notify_one();
    });
    std::unique_lock lock(mutex);
    signaled.wait(lock, [&] { return stop; });
}

}  // namespace

int run_server(const CommonOptions& common, const ServerOptions& options) {
    block_stop_signals();
    const auto store = store_url(common.store);
    if (!store) return fail_with(store.error(), common.json);
    EngineOptions settings;
    settings.execution_retention = options.retention;
    settings.event_retention = options.event_retention;
    settings.master_key_hex = options.master_key_hex;
    const auto engine = open_engine(common.store, Reconcilers::on, std::move(settings));
    if (!engine) return fail_with(engine.error(), common.json);

    server::Router router;
    server::add_health_routes(router, **engine, store_kind(*store));
    server::HttpOptions http;
    http.address = options.address;
    http.port = options.port;
    const auto server = server::HttpServer::start(http, std::move(router));
    if (!server) return fail_with(server.error(), common.json);

    const bool ipv6 = options.address.find(':') != std::string::npos;
    const auto host = ipv6 ? '[' + options.address + ']' : options.address;
    announce(options.program, fmt::format("http://{}:{}", host, (*server)->port()), *store, common.json);
    wait_for_stop_signal();
    (*server)->stop();
    return 0;
}

}  // namespace flowfabric::cli
