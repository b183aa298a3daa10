#include "server/config/server_config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>
#include <sstream>

#include "core/base/partition.hpp"
#include "flowfabric/duration.hpp"
#include "server/config/otlp_settings.hpp"

namespace flowfabric::server {
namespace {

constexpr std::uint64_t longest_body_bytes = 16'777'216;

EngineError wrong(std::string_view reason) {
    return {.kind = ErrorKind::invalid_input, .detail = std::string(reason)};
}

Result<std::uint64_t> number_in(std::string_view text, std::uint64_t min, std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || number < min || number > max) {
        return wrong("must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return number;
}

Result<bool> truth_in(std::string_view text) {
    if (text == "1" || text == "true") return true;
    if (text == "0" || text == "false" || text.empty()) return false;
    return wrong("must be true or false");
}

std::string text_of(std::chrono::milliseconds duration) {
    return std::to_string(duration.count()) + "ms";
}

std::vector<std::string> comma_list(std::string_view text) {
    std::vector<std::string> items;
    std::istringstream stream{std::string(text)};
    for (std::string item; std::getline(stream, item, ',');) {
        const auto first = item.find_first_not_of(' ');
        if (first != std::string::npos) items.push_back(item.substr(first, item.find_last_not_of(' ') - first + 1));
    }
    return items;
}

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text.append(text.empty() ? "" : ",").append(item);
    return text;
}

constexpr std::string_view hidden = "(set)";

Result<void> set_listen(ServerConfig& config, std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return wrong("must be HOST:PORT");
    const auto port = number_in(text.substr(colon + 1), 0, 65'535);
    if (!port) return wrong("must be HOST:PORT");
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    config.address = host;
    config.port = static_cast<std::uint16_t>(*port);
    return {};
}

std::string listen_of(const ServerConfig& config) {
    const bool ipv6 = config.address.find(':') != std::string::npos;
    return (ipv6 ? '[' + config.address + ']' : config.address) + ':' + std::to_string(config.port);
}

Result<void> set_hmac_secret(ServerConfig& config, std::string_view text) {
    constexpr std::size_t digits = 64;
    const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
    if (text.size() != digits || !std::ranges::all_of(text, is_digit)) return wrong("must hold 64 hex digits");
    config.waitpoint_hmac_secret = std::string(text);
    return {};
}

// ---- shapes of settings ---------------------------------------------------------------------------------------------

ServerSetting text_setting(std::string_view name, std::string_view variable, std::string_view type, std::string help,
                           std::string ServerConfig::* member) {
    return {name,
            variable,
            type,
            std::move(help),
            false,
            [member](ServerConfig& config, std::string_view text) -> Result<void> {
                config.*member = text;
                return {};
            },
            [member](const ServerConfig& config) { return config.*member; }};
}

ServerSetting flag_setting(std::string_view name, std::string_view variable, std::string help,
                           bool ServerConfig::* member) {
    return {name,
            variable,
            "BOOL",
            std::move(help),
            false,
            [member](ServerConfig& config, std::string_view text) -> Result<void> {
                const auto truth = truth_in(text);
                if (!truth) return truth.error();
                config.*member = *truth;
                return {};
            },
            [member](const ServerConfig& config) { return config.*member ? "true" : "false"; }};
}

ServerSetting duration_setting(std::string_view name, std::string_view variable, std::string help,
                               std::chrono::milliseconds ServerConfig::* member) {
    return {name,
            variable,
            "DURATION",
            std::move(help),
            false,
            [member](ServerConfig& config, std::string_view text) -> Result<void> {
                const auto duration = parse_duration_ms(text);
                if (!duration) return wrong("must be a duration such as 500ms, 30s, 5m, 1h or 7d");
                config.*member = std::chrono::milliseconds(*duration);
                return {};
            },
            [member](const ServerConfig& config) { return text_of(config.*member); }};
}

// How often a reconciler looks, in the unit that the variable's name ends with.
ServerSetting interval_setting(std::string_view name, std::string_view variable, const std::string& reconciler) {
    const bool seconds = variable.ends_with("_S");
    return {name,
            variable,
            seconds ? "SECONDS" : "MILLISECONDS",
            "How often the reconciler " + reconciler + " looks although nothing is known to be due",
            false,
            [reconciler, seconds](ServerConfig& config, std::string_view text) -> Result<void> {
                constexpr std::uint64_t most = 86'400'000;
                const auto number = number_in(text, 1, seconds ? most / 1000 : most);
                if (!number) return number.error();
                config.reconcilers[reconciler].interval = std::chrono::milliseconds(*number * (seconds ? 1000 : 1));
                return {};
            },
            [reconciler, seconds](const ServerConfig& config) {
                const auto found = config.reconcilers.find(reconciler);
                if (found == config.reconcilers.end()) return std::string();
                return std::to_string(found->second.interval.count() / (seconds ? 1000 : 1));
            }};
}

// A number that the schema fixes: another one is refused, so that ids of other stores are not mixed in.
ServerSetting partition_setting(std::string_view name, std::string_view variable, std::uint16_t count) {
    return {name,
            variable,
            "N",
            "How many partitions there are; the schema has " + std::to_string(count),
            false,
            [count](ServerConfig&, std::string_view text) -> Result<void> {
                const auto number = number_in(text, 1, 65'535);
                if (!number) return number.error();
                if (*number != count) return wrong("must be " + std::to_string(count) + ", as the schema has it");
                return {};
            },
            [count](const ServerConfig&) { return std::to_string(count); }};
}

constexpr auto log_levels = std::to_array<std::string_view>({"debug", "info", "warn", "error"});

std::vector<ServerSetting> store_settings() {
    std::vector<ServerSetting> all;
    ServerSetting store = text_setting("store", "FF_STORE", "URL",
                                       "sqlite:PATH or postgres://…; by default flowfabric.db in the data directory",
                                       &ServerConfig::store);
    store.may_hold_secret = true;
    store.get = [](const ServerConfig& config) {
        const bool has_password =
            config.store.find('@') != std::string::npos || config.store.find('?') != std::string::npos;
        return has_password ? std::string(hidden) : config.store;
    };
    all.push_back(std::move(store));
    all.push_back({"backend", "FF_BACKEND", "sqlite|postgres", "Which kind of store, where its URL is not given as one",
                   false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       std::string name(text);
                       std::ranges::transform(name, name.begin(),
                                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
                       if (name != "sqlite" && name != "postgres") return wrong("must be sqlite or postgres");
                       config.backend = name;
                       return {};
                   },
                   [](const ServerConfig& config) { return config.backend; }});
    ServerSetting url = text_setting("postgres-url", "FF_POSTGRES_URL", "URL", "Where PostgreSQL is, for that backend",
                                     &ServerConfig::postgres_url);
    url.secret = true;
    all.push_back(std::move(url));
    all.push_back(text_setting("sqlite-path", "FF_SQLITE_PATH", "PATH",
                               "The file of SQLite, for that backend; :memory: keeps nothing",
                               &ServerConfig::sqlite_path));
    return all;
}

std::vector<ServerSetting> all_settings() {
    std::vector<ServerSetting> all = store_settings();
    all.push_back({"listen", "FF_LISTEN_ADDR", "HOST:PORT", "The address to serve on; port 0 picks a free one", false,
                   set_listen, listen_of});
    all.push_back(text_setting("tls-certificate", "FF_TLS_CERTIFICATE_FILE", "FILE",
                               "The certificate chain to serve TLS with, in PEM", &ServerConfig::tls_certificate_file));
    all.push_back(text_setting("tls-key", "FF_TLS_KEY_FILE", "FILE", "The private key of the certificate, in PEM",
                               &ServerConfig::tls_key_file));
    all.push_back({"api-token", "FF_API_TOKEN", "TOKEN",
                   "One bearer token with every right, beside those of `ff token`", true,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       if (!text.empty()) config.api_token = std::string(text);
                       return {};
                   },
                   [](const ServerConfig& config) { return config.api_token.value_or(""); }});
    all.push_back(flag_setting("allow-unauthenticated", "FF_ALLOW_UNAUTHENTICATED",
                               "Serve on an address that others reach although no token is asked for",
                               &ServerConfig::allow_unauthenticated));
    all.push_back({"cors-origins", "FF_CORS_ORIGINS", "LIST",
                   "Origins whose pages may call the API, separated by commas, or *; otherwise the same origin only",
                   false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       if (comma_list(text).empty())
                           return wrong("names no origin; leave it unset for the same origin only");
                       config.cors_origins = std::string(text);
                       return {};
                   },
                   [](const ServerConfig& config) { return config.cors_origins.value_or(""); }});
    all.push_back({"lanes", "FF_LANES", "LIST", "Lanes that are registered at the start, separated by commas", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       config.lanes = comma_list(text);
                       if (config.lanes.empty()) return wrong("must name at least one lane");
                       return {};
                   },
                   [](const ServerConfig& config) { return joined(config.lanes); }});
    all.push_back({"waitpoint-hmac-secret", "FF_WAITPOINT_HMAC_SECRET", "HEX",
                   "The first signing key, 64 hex digits, of a store that has none; otherwise one is generated", true,
                   set_hmac_secret,
                   [](const ServerConfig& config) { return config.waitpoint_hmac_secret.value_or(""); }});
    all.push_back({"waitpoint-hmac-grace-ms", "FF_WAITPOINT_HMAC_GRACE_MS", "MILLISECONDS",
                   "How long a rotated signing key is still accepted", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       const auto number = number_in(text, 0, static_cast<std::uint64_t>(max_grace_ms));
                       if (!number) return number.error();
                       config.waitpoint_hmac_grace = std::chrono::milliseconds(*number);
                       return {};
                   },
                   [](const ServerConfig& config) { return std::to_string(config.waitpoint_hmac_grace.count()); }});
    all.push_back({"max-connections", "FF_MAX_CONNECTIONS", "N",
                   "How many clients may be connected; 0: as many as the limit of descriptors leaves", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       const auto number = number_in(text, 0, 1'000'000);
                       if (!number) return number.error();
                       config.max_connections = *number;
                       return {};
                   },
                   [](const ServerConfig& config) { return std::to_string(config.max_connections); }});
    all.push_back({"max-body-bytes", "FF_MAX_BODY_BYTES", "N",
                   "How many bytes the bodies of all requests under way may have together", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       const auto number = number_in(text, longest_body_bytes, 1ULL << 40U);
                       if (!number) return number.error();
                       config.max_body_bytes = *number;
                       return {};
                   },
                   [](const ServerConfig& config) { return std::to_string(config.max_body_bytes); }});
    all.push_back({"max-concurrent-stream-ops", "FF_MAX_CONCURRENT_STREAM_OPS", "N",
                   "How many reads and tails of attempts' streams may be under way; more get 429", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       const auto number = number_in(text, 1, 1'000'000);
                       if (!number) return number.error();
                       config.max_stream_operations = *number;
                       return {};
                   },
                   [](const ServerConfig& config) { return std::to_string(config.max_stream_operations); }, false,
                   "FF_MAX_CONCURRENT_TAIL"});
    all.push_back(duration_setting("request-timeout", "FF_REQUEST_TIMEOUT",
                                   "How long a request may take to arrive, and a part of an answer to leave",
                                   &ServerConfig::request_timeout));
    all.push_back(duration_setting("shutdown-deadline", "FF_SHUTDOWN_DEADLINE",
                                   "How long requests under way have when the server is told to end",
                                   &ServerConfig::shutdown_deadline));
    for (ServerSetting& setting : otlp_settings()) all.push_back(std::move(setting));
    all.push_back({"log-format", "FF_LOG_FORMAT", "text|json", "The form of the log's lines", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       if (text != "text" && text != "json") return wrong("must be text or json");
                       config.log_form = text == "json" ? LogForm::json : LogForm::text;
                       return {};
                   },
                   [](const ServerConfig& config) { return config.log_form == LogForm::json ? "json" : "text"; }});
    all.push_back({"log-level", "FF_LOG_LEVEL", "LEVEL", "The least that is logged: debug, info, warn or error", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       const auto* const found = std::ranges::find(log_levels, text);
                       if (found == log_levels.end()) return wrong("must be debug, info, warn or error");
                       config.log_level = static_cast<LogLevel>(found - log_levels.begin());
                       return {};
                   },
                   [](const ServerConfig& config) {
                       return std::string(log_levels.at(static_cast<std::size_t>(config.log_level)));
                   }});
    all.push_back(interval_setting("lease-expiry-interval-ms", "FF_LEASE_EXPIRY_INTERVAL_MS", "lease_expiry"));
    all.push_back(
        interval_setting("delayed-promoter-interval-ms", "FF_DELAYED_PROMOTER_INTERVAL_MS", "delayed_promotion"));
    all.push_back(interval_setting("attempt-timeout-interval-s", "FF_ATTEMPT_TIMEOUT_INTERVAL_S", "attempt_timeout"));
    all.push_back(
        interval_setting("suspension-timeout-interval-s", "FF_SUSPENSION_TIMEOUT_INTERVAL_S", "suspension_timeout"));
    all.push_back(
        interval_setting("pending-wp-expiry-interval-s", "FF_PENDING_WP_EXPIRY_INTERVAL_S", "pending_wp_expiry"));
    all.push_back(
        interval_setting("execution-deadline-interval-s", "FF_EXECUTION_DEADLINE_INTERVAL_S", "execution_deadline"));
    all.push_back(
        interval_setting("retention-trimmer-interval-s", "FF_RETENTION_TRIMMER_INTERVAL_S", "retention_trimmer"));
    all.push_back(interval_setting("dependency-interval-s", "FF_DEPENDENCY_RECONCILER_INTERVAL_S", "dependency"));
    all.push_back(interval_setting("flow-projector-interval-s", "FF_FLOW_PROJECTOR_INTERVAL_S", "flow_projector"));
    all.push_back(
        interval_setting("cancel-reconciler-interval-s", "FF_CANCEL_RECONCILER_INTERVAL_S", "cancel_reconciler"));
    all.push_back(
        interval_setting("edge-cancel-interval-s", "FF_EDGE_CANCEL_DISPATCHER_INTERVAL_S", "edge_cancel_dispatcher"));
    all.push_back(partition_setting("flow-partitions", "FF_FLOW_PARTITIONS", flow_partitions));
    all.push_back(partition_setting("budget-partitions", "FF_BUDGET_PARTITIONS", budget_partitions));
    all.push_back(partition_setting("quota-partitions", "FF_QUOTA_PARTITIONS", quota_partitions));
    return all;
}

// Of other versions, which had pools: checked as there, and without effect.
constexpr auto pool_variables = std::to_array<std::string_view>({"FF_POSTGRES_POOL_SIZE", "FF_SQLITE_POOL_SIZE"});

// Of other commands, of other versions and of the machine: known, and nothing that a server is told.
constexpr auto other_variables = std::to_array<std::string_view>({"FF_DEV_MODE",
                                                                  "FF_HOST",
                                                                  "FF_PORT",
                                                                  "FF_TLS",
                                                                  "FF_CLUSTER",
                                                                  "FF_DATA_DIR",
                                                                  "FF_MASTER_KEY",
                                                                  "FF_MASTER_KEY_FILE",
                                                                  "FF_SERVER",
                                                                  "FF_TOKEN",
                                                                  "FF_TOKEN_FILE",
                                                                  "FF_URL",
                                                                  "FF_CONFIG",
                                                                  "FF_INDEX_RECONCILER_INTERVAL_S",
                                                                  "FF_UNBLOCK_INTERVAL_S",
                                                                  "FF_BUDGET_RESET_INTERVAL_S",
                                                                  "FF_BUDGET_RECONCILER_INTERVAL_S",
                                                                  "FF_QUOTA_RECONCILER_INTERVAL_S",
                                                                  "FF_EDGE_CANCEL_RECONCILER_INTERVAL_S",
                                                                  "FF_SENTRY_DSN",
                                                                  "FF_SENTRY_ENVIRONMENT",
                                                                  "FF_SENTRY_RELEASE",
                                                                  "FF_FORCE_LUA_RELOAD"});

// A value, under what the caller called it.
using Given = Secret;

Result<std::optional<Given>> from_environment(const ServerSetting& setting, const Variables& environment) {
    const std::string variable(setting.variable);
    if (setting.may_be_in_file()) return secret_of_environment(variable, environment);
    if (auto value = environment(variable)) return std::optional(Given{variable, *std::move(value)});
    const std::string former(setting.former_variable);
    if (former.empty()) return std::optional<Given>();
    if (auto value = environment(former)) return std::optional(Given{former, *std::move(value)});
    return std::optional<Given>();
}

// The backend and its place as a URL.
Result<std::string> store_of(const ServerConfig& config) {
    if (!config.store.empty()) return config.store;
    if (config.backend == "postgres") {
        if (config.postgres_url.empty()) return invalid_input("FF_POSTGRES_URL", "is missing: the backend is postgres");
        return config.postgres_url;
    }
    if (config.sqlite_path.empty()) return std::string();
    const bool in_memory =
        config.sqlite_path == ":memory:" || config.sqlite_path.find("mode=memory") != std::string::npos;
    return in_memory ? "memory:" : "sqlite:" + config.sqlite_path;
}

// A line's value, with or without quotes.
std::optional<std::string_view> unquoted(std::string_view text) {
    if (!text.starts_with('"')) return text.find('"') == std::string_view::npos ? std::optional(text) : std::nullopt;
    if (text.size() < 2 || !text.ends_with('"')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
    return text.find('"') == std::string_view::npos ? std::optional(text) : std::nullopt;
}

std::string_view trimmed_line(std::string_view text) {
    constexpr std::string_view space = " \t\r";
    const auto first = text.find_first_not_of(space);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(space) - first + 1);
}

}  // namespace

Result<Values> parse_config_file(std::string_view text) {
    Values values;
    std::istringstream lines{std::string(text)};
    std::size_t number = 0;
    for (std::string all; std::getline(lines, all);) {
        ++number;
        const std::string_view line = trimmed_line(all);
        if (line.empty() || line.starts_with('#')) continue;
        const auto equals = line.find('=');
        const auto name = trimmed_line(line.substr(0, equals));
        const auto value =
            equals == std::string_view::npos ? std::nullopt : unquoted(trimmed_line(line.substr(equals + 1)));
        if (name.empty() || !value) return invalid_input("line " + std::to_string(number), "must be NAME = \"VALUE\"");
        if (!values.emplace(name, *value).second) return invalid_input(name, "is given twice");
    }
    return values;
}

std::span<const ServerSetting> server_settings() {
    static const std::vector<ServerSetting> all = all_settings();
    return all;
}

Result<ServerConfig> load_config(const Values& flags, const Variables& environment, const Values& file) {
    ServerConfig config;
    for (const auto& [name, unused] : file) {
        if (std::ranges::find(server_settings(), name, &ServerSetting::name) == server_settings().end()) {
            return invalid_input(name, "is not a setting");
        }
    }
    std::set<std::string_view> said;
    for (const ServerSetting& setting : server_settings()) {
        std::optional<Given> given;
        if (const auto flag = flags.find(setting.name); flag != flags.end()) {
            given = Given{"--" + flag->first, flag->second};
        } else {
            auto variable = from_environment(setting, environment);
            if (!variable) return variable.error();
            given = *std::move(variable);
            if (const auto line = file.find(setting.name); !given && line != file.end()) {
                given = Given{line->first, line->second};
            }
        }
        if (!given) continue;
        if (auto done = setting.set(config, given->text); !done)
            return invalid_input(given->under, done.error().detail);
        said.insert(setting.name);
    }
    if (auto done = set_by_opentelemetry(config, std::move(said), environment); !done) return done.error();
    for (const std::string_view name : pool_variables) {
        const auto size = environment(std::string(name));
        if (!size) continue;
        const auto number = number_in(*size, 1, std::numeric_limits<std::uint32_t>::max());
        if (!number) return invalid_input(name, number.error().detail);
    }
    if (config.tls_certificate_file.empty() != config.tls_key_file.empty()) {
        return invalid_input(config.tls_key_file.empty() ? "tls-key" : "tls-certificate",
                             "is missing: TLS needs both files");
    }
    auto store = store_of(config);
    if (!store) return store.error();
    config.store = *std::move(store);
    return config;
}

std::string print_config(const ServerConfig& config) {
    std::string text;
    for (const ServerSetting& setting : server_settings()) {
        std::string value = setting.get(config);
        if (setting.secret && !value.empty()) value = hidden;
        const bool says_nothing = value.empty() || value == hidden;
        text.append(says_nothing ? "# " : "").append(setting.name).append(" = \"").append(value).append("\"\n");
    }
    return text;
}

std::vector<std::string> idle_variables(const std::vector<std::string>& names) {
    std::vector<std::string> warnings;
    for (const std::string& name : names) {
        if (!name.starts_with("FF_") || name.starts_with("FF_TEST_")) continue;
        const auto base = name.ends_with("_FILE") ? name.substr(0, name.size() - 5) : name;
        const bool is_setting = std::ranges::any_of(server_settings(), [&](const ServerSetting& setting) {
            return setting.variable == name || setting.former_variable == name ||
                   (setting.may_be_in_file() && setting.variable == base);
        });
        if (is_setting || std::ranges::find(other_variables, name) != other_variables.end()) continue;
        const bool sizes_pool = std::ranges::find(pool_variables, name) != pool_variables.end();
        warnings.push_back(name + (sizes_pool ? " has no effect: an engine needs no more than a few connections"
                                              : " is not a known variable"));
    }
    return warnings;
}

}  // namespace flowfabric::server
