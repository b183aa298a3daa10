#include <unistd.h>

#include <fstream>
#include <future>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/process/signals.hpp"
#include "cli/store_location.hpp"
#include "cli/text/output.hpp"
#include "flowfabric/engine.hpp"
#include "runtime/log.hpp"
#include "server/auth/access.hpp"
#include "server/config/otlp_settings.hpp"
#include "server/config/server_config.hpp"
#include "server/http/http_server.hpp"
#include "server/log/access_log.hpp"
#include "server/metrics/engine_metrics.hpp"
#include "server/metrics/http_metrics.hpp"
#include "server/metrics/otlp_metrics.hpp"
#include "server/metrics/store_gauges.hpp"
#include "server/metrics/webhook_metrics.hpp"
#include "server/routes/documents.hpp"
#include "server/routes/event_streams.hpp"
#include "server/routes/health.hpp"
#include "server/routes/metrics.hpp"
#include "server/routes/operation_routes.hpp"
#include "server/routes/output_streams.hpp"
#include "server/routes/worker_round.hpp"
#include "server/tracing/tracers.hpp"
#include "server/webhooks/webhook_sender.hpp"

namespace flowfabric::cli {
namespace {

struct ServerOptions {
    std::string program = "ff";  // as it was called, for what to try next
    server::Values settings;     // that are flags, by name
    std::string config_file;
    bool print_config = false;
};

using server::ServerConfig;

std::vector<std::string> variable_names() {
    std::vector<std::string> names;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        names.emplace_back(text.substr(0, text.find('=')));
    }
    return names;
}

Result<ServerConfig> configuration(const ServerOptions& options) {
    server::Values lines;
    if (!options.config_file.empty()) {
        std::ifstream file(options.config_file, std::ios::binary);
        if (!file) return invalid_input("config", options.config_file + " cannot be read");
        auto read = server::parse_config_file(std::string{std::istreambuf_iterator<char>(file), {}});
        if (!read) return invalid_input(options.config_file, read.error().detail);
        lines = *std::move(read);
    }
    return server::load_config(options.settings, server::variable_of_process, lines);
}

// The first signing key of a store that has none. Before an engine runs that would generate one.
Result<void> install_first_key(const StoreOptions& store, const ServerConfig& config) {
    if (!config.waitpoint_hmac_secret) return {};
    const auto engine = open_engine(store, Reconcilers::off);
    if (!engine) return engine.error();
    const auto kids = (*engine)->list_waitpoint_hmac_kids();
    if (!kids) return kids.error();
    if (kids->current_kid) return {};
    const auto seeded = (*engine)->seed_waitpoint_hmac_secret(
        {.kid = std::string(first_kid), .secret_hex = *config.waitpoint_hmac_secret});
    if (!seeded) return seeded.error();
    return {};
}

Result<void> register_lanes(Engine& engine, const std::vector<std::string>& lanes) {
    for (const std::string& lane : lanes) {
        const auto known = engine.describe_lane(lane);
        if (!known) return known.error();
        if (*known) continue;
        const auto registered = engine.set_lane_state({.lane_id = lane, .state = LaneState::active});
        if (!registered) return registered.error();
    }
    return {};
}

Result<std::unique_ptr<Engine>> open_engine_of(const CommonOptions& common, const ServerConfig& config,
                                               std::shared_ptr<EngineObserver> observer) {
    const StoreOptions store{.store = config.store, .migrate = common.store.migrate};
    if (auto installed = install_first_key(store, config); !installed) return installed.error();
    EngineOptions options;
    options.reconcilers = config.reconcilers;
    options.observer = std::move(observer);
    auto engine = open_engine(store, Reconcilers::on, std::move(options));
    if (!engine) return engine;
    if (auto registered = register_lanes(**engine, config.lanes); !registered) return registered.error();
    return engine;
}

Result<server::HttpOptions> http_options(const ServerConfig& config) {
    server::HttpOptions options;
    options.address = config.address == "localhost" ? "127.0.0.1" : config.address;
    options.port = config.port;
    options.timeout = config.request_timeout;
    options.max_connections = config.max_connections;
    options.max_body_bytes = config.max_body_bytes;
    options.tls = {config.tls_certificate_file, config.tls_key_file};
    if (!config.cors_origins) return options;
    auto cors = server::cors_rules(*config.cors_origins);
    if (!cors) return cors.error();
    for (const std::string& origin : cors->unreadable) log_warning("cors-origins: '" + origin + "' is no origin");
    options.cors = *std::move(cors);
    return options;
}

std::string url_of(const ServerConfig& config, std::uint16_t port) {
    const bool ipv6 = config.address.find(':') != std::string::npos;
    return fmt::format("{}://{}:{}", config.tls_certificate_file.empty() ? "http" : "https",
                       ipv6 ? '[' + config.address + ']' : config.address, port);
}

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

Result<std::shared_ptr<server::Access>> open_access(Engine& engine, std::shared_ptr<server::BlockingPool> pool,
                                                    const ServerConfig& config) {
    auto access = server::Access::open(engine, std::move(pool), config.api_token);
    if (!access) return access.error();
    const auto checked = (*access)->check_exposure(config.address, config.allow_unauthenticated);
    if (!checked) return checked.error();
    return access;
}

// Null: spans go nowhere.
Result<std::shared_ptr<server::SpanExporter>> open_exporter(const ServerConfig& config, server::Metrics& metrics) {
    std::string url = server::otlp_traces_url(config);
    if (url.empty()) return std::shared_ptr<server::SpanExporter>();
    auto headers = server::parse_otlp_headers(config.otlp_headers);
    if (!headers) return headers.error();
    auto exporter = server::SpanExporter::start({.url = std::move(url),
                                                 .headers = *std::move(headers),
                                                 .service_name = config.otlp_service_name,
                                                 .observe = server::otlp_metrics(metrics)});
    if (!exporter) return exporter.error();
    return std::shared_ptr(*std::move(exporter));
}

std::shared_ptr<EngineObserver> engine_observer(server::Metrics& metrics, std::shared_ptr<server::LaneNames> lanes,
                                                const std::shared_ptr<server::SpanExporter>& exporter) {
    auto counts = std::make_shared<server::EngineMetrics>(metrics, std::move(lanes));
    if (!exporter) return counts;
    return server::attempt_tracer(exporter, std::move(counts));
}

server::Observer request_observer(server::Metrics& metrics, const ServerConfig& config,
                                  const std::shared_ptr<server::SpanExporter>& exporter) {
    server::Observer trace;
    if (exporter) trace = server::request_tracer(exporter, !config.tls_certificate_file.empty());
    return [count = server::http_metrics(metrics), trace = std::move(trace)](const server::Served& served) {
        count(served);
        server::log_access(served);
        if (trace) trace(served);
    };
}

// Readiness ends first; requests under way have until the deadline. The webhooks' last reports have the engine's grace,
// so that a store which hangs holds up neither. Spans go last, and tell of all that.
void shut_down(server::HttpServer& http, Engine& engine, server::WebhookSender& webhooks,
               server::SpanExporter* exporter, std::chrono::milliseconds deadline, prometheus::Counter& timeouts) {
    const auto until = std::chrono::steady_clock::now() + deadline;
    if (!http.drain(deadline)) {
        timeouts.Increment();
        log_warning("requests under way were cut off at the shutdown deadline");
    }
    engine.end_within(stop_grace);
    webhooks.stop();
    http.stop();
    if (exporter != nullptr) exporter->finish(until);
}

int run_server(const CommonOptions& common, const ServerOptions& options) {
    const auto config = configuration(options);
    if (!config) return fail_with(config.error(), common.json);
    if (options.print_config) {
        std::cout << server::print_config(*config);
        return 0;
    }
    set_log(config->log_form, config->log_level);
    for (const auto& warning : server::idle_variables(variable_names())) log_warning(warning);
    if (const auto given = options.settings.find("store"); given != options.settings.end()) {
        if (const auto warning = store_flag_warning(given->second)) log_warning(*warning);
    }
    const auto http = http_options(*config);
    if (!http) return fail_with(http.error(), common.json);
    StopSignals signals;
    const auto store = store_url({.store = config->store});
    if (!store) return fail_with(store.error(), common.json);
    server::Metrics metrics;
    const auto lanes = std::make_shared<server::LaneNames>();
    const auto exporter = open_exporter(*config, metrics);
    if (!exporter) return fail_with(exporter.error(), common.json);
    const auto engine = open_engine_of(common, *config, engine_observer(metrics, lanes, *exporter));
    if (!engine) return fail_with(engine.error(), common.json);
    server::add_store_gauges(metrics, **engine, lanes);

    constexpr std::size_t blocking_threads = 8;
    const auto pool = std::make_shared<server::BlockingPool>(blocking_threads);
    const auto access = open_access(**engine, pool, *config);
    if (!access) return fail_with(access.error(), common.json);
    server::Service service;
    service.gate = [keeper = *access](server::Request& head, const server::RouteInfo* route) {
        return keeper->gate(head, route);
    };
    server::Router& router = service.router;
    server::add_health_routes(router, **engine, pool, store_kind(*store));
    server::add_metrics_route(router, metrics, pool);
    const auto waits =
        std::make_shared<server::CompletionWaits>([&engine] { return (*engine)->subscribe_completion(); });
    server::add_operation_routes(router, **engine, pool, waits, *access,
                                 {{"rotate_waitpoint_hmac_secret", "grace_ms", config->waitpoint_hmac_grace.count()}},
                                 config->max_stream_operations);
    server::add_worker_round_route(router, **engine, pool);
    server::add_document_routes(router);
    const auto streams = std::make_shared<server::EventStreamPool>(**engine, *access);
    server::add_event_stream_routes(router, streams);
    server::add_output_stream_route(router, streams, waits);
    service.asks_for_token = [keeper = *access] { return keeper->asks_for_token(); };
    service.count_connections = server::connection_gauge(metrics);
    service.observe = request_observer(metrics, *config, *exporter);
    prometheus::Counter& timeouts = server::shutdown_timeouts(metrics);
    const auto server = server::HttpServer::start(*http, std::move(service));
    if (!server) return fail_with(server.error(), common.json);

    server::WebhookSender webhooks(**engine, server::webhook_metrics(metrics));

    std::promise<void> stopped;
    const auto reaction = signals.react([&] { stopped.set_value(); });
    announce(options.program, url_of(*config, (*server)->port()), *store, common.json);
    stopped.get_future().wait();
    shut_down(**server, **engine, webhooks, exporter->get(), config->shutdown_deadline, timeouts);
    pool->finish();  // reads for clients that have gone still use the engine
    (*access)->stop();
    return 0;
}

}  // namespace

void add_server(CommandTable& table) {
    const auto options = std::make_shared<ServerOptions>();
    options->program = table.program();
    auto& command = table.add_plain(table.app(), "server", "Run the engine with its HTTP server",
                                    [&common = table.common(), options] { return run_server(common, *options); });
    add_json(command, table.common().json);
    command.add_flag_callback(
        "--no-migrate", [&common = table.common()] { common.store.migrate = false; },
        "Refuse an older schema instead of bringing it up to date");
    for (const server::ServerSetting& setting : server::server_settings()) {
        if (setting.secret) continue;
        const auto set = [options, name = std::string(setting.name)](const std::string& value) {
            options->settings.insert_or_assign(name, value);
        };
        command
            .add_option_function<std::string>("--" + std::string(setting.name), set,
                                              setting.help + " [" + std::string(setting.variable) + "]")
            ->type_name(std::string(setting.type_name));
    }
    command.add_option("--config", options->config_file, "A file with settings [FF_CONFIG]")
        ->envname("FF_CONFIG")
        ->type_name("FILE");
    command.add_flag("--print-config", options->print_config, "Print the settings as a file would have them, and end");
    command.footer(
        "Every option is also a variable of the environment, and a line NAME = \"VALUE\" of the file; an option wins\n"
        "over the environment, and that over the file. SIGTERM ends the server when requests under way are answered,\n"
        "a second one at once.");
    add_examples(
        command,
        {"ff server", "ff server --store postgres://db/flows --listen 127.0.0.1:8443 --log-format json",
         "ff server --tls-certificate chain.pem --tls-key key.pem",
         "ff server --lanes mail,reports --print-config > flowfabric.conf", "ff server --config flowfabric.conf"});
}

}  // namespace flowfabric::cli
