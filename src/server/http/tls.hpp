#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "flowfabric/result.hpp"

namespace flowfabric::server {

// Files in PEM. No certificate: plain connections.
struct TlsFiles {
    std::string certificate;  // the chain
    std::string key;
};

// TLS 1.2 and newer with that certificate; null without one.
Result<std::unique_ptr<boost::asio::ssl::context>> tls_context(const TlsFiles& files);

}  // namespace flowfabric::server
