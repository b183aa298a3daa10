#include <future>
#include <iostream>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/process/signals.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"
#include "server/http/http_server.hpp"
#include "server/http/router.hpp"
#include "server/routes/documents.hpp"
#include "server/routes/health.hpp"
#include "server/routes/operation_routes.hpp"
#include "server/routes/worker_round.hpp"

namespace flowfabric::cli {
namespace {

struct ServerOptions {
    std::string program = "ff";  // as it was called, for what to try next
    std::string address = "127.0.0.1";
    std::uint16_t port = 8080;
};

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

int run_server(const CommonOptions& common, const ServerOptions& options) {
    StopSignals signals;
    const auto store = store_url(common.store);
    if (!store) return fail_with(store.error(), common.json);
    const auto engine = open_engine(common.store, Reconcilers::on);
    if (!engine) return fail_with(engine.error(), common.json);

    constexpr std::size_t blocking_threads = 8;
    const auto pool = std::make_shared<server::BlockingPool>(blocking_threads);
    server::Router router;
    server::add_health_routes(router, **engine, pool, store_kind(*store));
    const auto waits =
        std::make_shared<server::CompletionWaits>([&engine] { return (*engine)->subscribe_completion(); });
    server::add_operation_routes(router, **engine, pool, waits);
    server::add_worker_round_route(router, **engine);
    server::add_document_routes(router);
    server::HttpOptions http;
    http.address = options.address;
    http.port = options.port;
    const auto server = server::HttpServer::start(http, std::move(router));
    if (!server) return fail_with(server.error(), common.json);

    const bool ipv6 = options.address.find(':') != std::string::npos;
    const auto host = ipv6 ? '[' + options.address + ']' : options.address;
    std::promise<void> stopped;
    const auto reaction = signals.react([&] { stopped.set_value(); });
    announce(options.program, fmt::format("http://{}:{}", host, (*server)->port()), *store, common.json);
    stopped.get_future().wait();
    (*engine)->end_within(stop_grace);
    (*server)->stop();
    return 0;
}

}  // namespace

void add_server(CommandTable& table) {
    const auto options = std::make_shared<ServerOptions>();
    options->program = table.program();
    auto& command = table.add_plain(table.app(), "server", "Run the engine with its HTTP server",
                                    [&common = table.common(), options] { return run_server(common, *options); });
    add_common(command, table.common());
    const auto set_address = [options](const std::string& text) {
        const auto colon = text.rfind(':');
        std::uint16_t port = 0;
        if (colon == std::string::npos || !CLI::detail::lexical_cast(text.substr(colon + 1), port)) {
            throw CLI::ValidationError("--listen", text + " is not HOST:PORT");
        }
        auto host = text.substr(0, colon);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        options->address = host == "localhost" ? "127.0.0.1" : host;
        options->port = port;
    };
    command
        .add_option_function<std::string>("--listen", set_address, "The address to serve on; port 0 picks a free one")
        ->type_name("HOST:PORT")
        ->default_str("127.0.0.1:8080");
    add_examples(command, {"ff server", "ff server --store postgres://flowfabric@db/flowfabric --listen 0.0.0.0:8080"});
}

}  // namespace flowfabric::cli
