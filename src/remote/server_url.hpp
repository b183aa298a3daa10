#pragma once

#include <string>
#include <string_view>

#include "flowfabric/result.hpp"

namespace flowfabric::remote {

// Where a server is: http://HOST[:PORT][/BASE], or https.
struct ServerUrl {
    bool tls = false;
    std::string host;  // a name or an address, without brackets
    std::string port;
    std::string authority;  // HOST[:PORT], as requests name it
    std::string base;       // in front of every path; empty or beginning with a slash, never ending with one
    std::string text;       // for people
};

// Credentials in a URL are refused: they would show in `ps` and in logs.
Result<ServerUrl> parse_server_url(std::string_view text);

}  // namespace flowfabric::remote
