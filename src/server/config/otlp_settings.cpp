#include "server/config/otlp_settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <boost/beast/core/string.hpp>

#include "core/base/hex.hpp"
#include "core/base/names.hpp"
#include "remote/server_url.hpp"

namespace flowfabric::server {
namespace {

constexpr std::string_view traces_path = "/v1/traces";

EngineError unusable(std::string_view reason) {
    return {.kind = ErrorKind::invalid_input, .detail = std::string(reason)};
}

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_header_name(std::string_view name) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [marks](unsigned char c) {
        return std::isalnum(c) != 0 || marks.find(static_cast<char>(c)) != std::string_view::npos;
    });
}

// What requests say of themselves.
bool is_of_requests(std::string_view name) {
    constexpr auto own = std::to_array<std::string_view>(
        {"host", "connection", "content-length", "content-type", "transfer-encoding", "user-agent"});
    return std::ranges::any_of(own, [name](std::string_view one) { return boost::beast::iequals(one, name); });
}

std::optional<std::string> percent_decoded(std::string_view text) {
    constexpr std::size_t length = 3;  // of %XX
    std::string decoded;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '%') {
            decoded += text[at++];
            continue;
        }
        const auto byte = text.size() - at < length ? std::nullopt : bytes_of_hex(text.substr(at + 1, 2));
        if (!byte) return std::nullopt;
        decoded += *byte;
        at += length;
    }
    return decoded;
}

bool is_header_value(std::string_view value) {
    return std::ranges::all_of(value, [](unsigned char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

ServerSetting url_setting(std::string_view name, std::string_view variable, std::string help,
                          std::string ServerConfig::* member) {
    return {name,
            variable,
            "URL",
            std::move(help),
            false,
            [member](ServerConfig& config, std::string_view text) -> Result<void> {
                if (!text.empty() && !remote::parse_server_url(text)) {
                    return unusable("must be http://HOST[:PORT][/PATH] or https://, without credentials and query");
                }
                config.*member = text;
                return {};
            },
            [member](const ServerConfig& config) { return config.*member; }};
}

struct CommonVariable {
    std::string_view variable;
    std::string_view setting;
    std::array<std::string_view, 2> yields_to;  // settings
};

// The more exact one first: what it has said, the next leaves alone.
constexpr std::array common_variables{
    CommonVariable{
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "otlp-traces-endpoint", {"otlp-endpoint", "otlp-traces-endpoint"}},
    CommonVariable{"OTEL_EXPORTER_OTLP_ENDPOINT", "otlp-endpoint", {"otlp-endpoint", "otlp-traces-endpoint"}},
    CommonVariable{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "otlp-headers", {"otlp-headers"}},
    CommonVariable{"OTEL_EXPORTER_OTLP_HEADERS", "otlp-headers", {"otlp-headers"}},
    CommonVariable{"OTEL_SERVICE_NAME", "otlp-service-name", {"otlp-service-name"}}};

}  // namespace

std::vector<ServerSetting> otlp_settings() {
    std::vector<ServerSetting> all;
    all.push_back(url_setting("otlp-endpoint", "FF_OTLP_ENDPOINT",
                              "A collector of OpenTelemetry, which gets traces at URL/v1/traces, over HTTP in JSON",
                              &ServerConfig::otlp_endpoint));
    all.push_back(url_setting("otlp-traces-endpoint", "FF_OTLP_TRACES_ENDPOINT",
                              "Where it gets them instead, if that is another path",
                              &ServerConfig::otlp_traces_endpoint));
    all.push_back({"otlp-headers", "FF_OTLP_HEADERS", "NAME=VALUE,…", "Headers of requests to the collector", true,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       if (auto headers = parse_otlp_headers(text); !headers) return headers.error();
                       config.otlp_headers = text;
                       return {};
                   },
                   [](const ServerConfig& config) { return config.otlp_headers; }});
    all.push_back({"otlp-service-name", "FF_OTLP_SERVICE_NAME", "NAME", "What this server is called in traces", false,
                   [](ServerConfig& config, std::string_view text) -> Result<void> {
                       constexpr std::size_t longest = 256;
                       if (text.empty() || !check_line("", text, longest)) {
                           return unusable("must be a line of 1 to 256 bytes of UTF-8");
                       }
                       config.otlp_service_name = text;
                       return {};
                   },
                   [](const ServerConfig& config) { return config.otlp_service_name; }});
    return all;
}

Result<void> set_by_opentelemetry(ServerConfig& config, std::set<std::string_view> said, const Variables& environment) {
    for (const CommonVariable& common : common_variables) {
        if (std::ranges::any_of(common.yields_to, [&](std::string_view name) { return said.contains(name); })) continue;
        const auto value = environment(std::string(common.variable));
        if (!value || value->empty()) continue;
        const auto setting = std::ranges::find(server_settings(), common.setting, &ServerSetting::name);
        if (auto done = setting->set(config, *value); !done) {
            return invalid_input(common.variable, done.error().detail);
        }
        said.insert(common.setting);
    }
    return {};
}

std::string otlp_traces_url(const ServerConfig& config) {
    if (!config.otlp_traces_endpoint.empty()) return config.otlp_traces_endpoint;
    if (config.otlp_endpoint.empty()) return {};
    std::string base = config.otlp_endpoint;
    while (base.ends_with('/')) base.pop_back();
    return base.append(traces_path);
}

Result<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> headers;
    for (const std::string& item : split(text, ',')) {
        const std::string_view pair = without_blanks(item);
        if (pair.empty()) continue;
        const auto equals = pair.find('=');
        const std::string_view name = without_blanks(pair.substr(0, equals));
        if (equals == std::string_view::npos || !is_header_name(name)) {
            return unusable("must be NAME=VALUE,NAME=VALUE, where a name is one of a header");
        }
        if (is_of_requests(name)) return unusable("names " + std::string(name) + ", which is not for it to say");
        const auto value = percent_decoded(without_blanks(pair.substr(equals + 1)));
        if (!value || !is_header_value(*value)) {
            return unusable("the value of " + std::string(name) +
                            " must be printable, and each % in it begin the two hex digits of a byte");
        }
        headers.emplace_back(name, *value);
    }
    return headers;
}

}  // namespace flowfabric::server
