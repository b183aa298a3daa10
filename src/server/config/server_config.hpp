#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/engine.hpp"
#include "flowfabric/result.hpp"
#include "runtime/log.hpp"
#include "server/config/secret_variable.hpp"

// What a server is told at its start. Each setting is declared once; flags, environment, file and --print-config follow
// from that.
namespace flowfabric::server {

struct ServerConfig {
    std::string store;  // a store's URL, whichever way it was given; empty: the embedded file in the data directory
    std::string backend;
    std::string postgres_url;
    std::string sqlite_path;
    std::string address = "127.0.0.1";
    std::uint16_t port = 9090;
    std::optional<std::string> api_token;
    bool allow_unauthenticated = false;
    std::optional<std::string> cors_origins;
    std::string tls_certificate_file;
    std::string tls_key_file;
    std::vector<std::string> lanes = {"default"};
    std::optional<std::string> waitpoint_hmac_secret;
    std::chrono::milliseconds waitpoint_hmac_grace{86'400'000};
    std::size_t max_connections = 0;  // 0: as many as descriptors allow
    std::size_t max_body_bytes = 268'435'456;
    std::size_t max_stream_operations = 64;
    std::chrono::milliseconds request_timeout{30'000};
    std::chrono::milliseconds shutdown_deadline{30'000};
    std::string otlp_endpoint;         // traces go to …/v1/traces there; empty: nowhere
    std::string otlp_traces_endpoint;  // the whole URL instead
    std::string otlp_headers;          // of requests to it; a secret
    std::string otlp_service_name = "flowfabric";
    LogForm log_form = LogForm::text;
    LogLevel log_level = LogLevel::info;
    std::map<std::string, ReconcilerSettings> reconcilers;  // by name, where they differ from the default
};

struct ServerSetting {
    std::string_view name;      // --NAME, and NAME in a file
    std::string_view variable;  // in the environment
    std::string_view type_name;
    std::string help;
    bool secret = false;  // never a flag, which everyone on the machine can read, and never printed
    std::function<Result<void>(ServerConfig&, std::string_view)> set;
    std::function<std::string(const ServerConfig&)> get;  // empty: not set
    bool may_hold_secret = false;                         // it is a flag, but better given otherwise
    std::string_view former_variable = {};                // what other versions call it; the variable wins

    // VARIABLE_FILE may name a file that holds it.
    bool may_be_in_file() const { return secret || may_hold_secret; }
};

std::span<const ServerSetting> server_settings();

using Values = std::map<std::string, std::string, std::less<>>;  // by the name of the setting

// A flag wins over the environment, the environment over the file, the file over the default. A value that is wrong is
// refused by the name under which it was given.
Result<ServerConfig> load_config(const Values& flags, const Variables& environment, const Values& file);

// The values in a file: lines of the form NAME = "VALUE", comments behind #. A line of another form is refused by its
// number.
Result<Values> parse_config_file(std::string_view text);

// One line per setting, as a file would have it. Secrets are said to be set or not.
std::string print_config(const ServerConfig& config);

// What there is to say of variables that begin with FF_ and decide nothing, although an operator may think so.
std::vector<std::string> idle_variables(const std::vector<std::string>& names);

}  // namespace flowfabric::server
