#include "remote/server_url.hpp"

#include <boost/url/parse.hpp>

namespace flowfabric::remote {

Result<ServerUrl> parse_server_url(std::string_view text) {
    const auto refuse = [](std::string_view reason) { return invalid_input("server", reason); };
    const auto parsed = boost::urls::parse_uri(text);
    if (!parsed || !parsed->has_authority() || parsed->encoded_host().empty()) {
        return refuse("must be http://HOST:PORT or https://HOST:PORT");
    }
    if (parsed->scheme() != "http" && parsed->scheme() != "https") return refuse("must begin with http:// or https://");
    if (parsed->has_userinfo()) return refuse("holds no credentials; give the token in FF_TOKEN or FF_TOKEN_FILE");
    if (parsed->has_query() || parsed->has_fragment()) return refuse("ends with its path");
    ServerUrl url;
    url.tls = parsed->scheme() == "https";
    url.host = parsed->host_address();
    url.port = std::string(parsed->port());
    if (url.port.empty()) url.port = url.tls ? "443" : "80";
    url.authority = std::string(parsed->encoded_host_and_port());
    url.base = std::string(parsed->encoded_path());
    while (url.base.ends_with('/')) url.base.pop_back();
    url.text = std::string(parsed->scheme()) + "://" + url.authority + url.base;
    return url;
}

}  // namespace flowfabric::remote
