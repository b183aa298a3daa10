#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/config/server_config.hpp"

// Where traces go.
namespace flowfabric::server {

std::vector<ServerSetting> otlp_settings();

// OpenTelemetry's own variables, which other programs read too, decide what nothing of ours has said. An empty one
// counts as absent.
Result<void> set_by_opentelemetry(ServerConfig& config, std::set<std::string_view> said, const Variables& environment);

// The URL that spans are posted to; empty: they are not.
std::string otlp_traces_url(const ServerConfig& config);

// NAME=VALUE,NAME=VALUE, where %XX in a value stands for a byte. No error tells a value.
Result<std::vector<std::pair<std::string, std::string>>> parse_otlp_headers(std::string_view text);

}  // namespace flowfabric::server
