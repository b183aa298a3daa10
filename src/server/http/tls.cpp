#include "server/http/tls.hpp"

#include <tuple>

namespace flowfabric::server {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<ssl::context>> tls_context(const TlsFiles& files) {
    std::unique_ptr<ssl::context> context;
    if (files.certificate.empty()) return context;
    context = std::make_unique<ssl::context>(ssl::context::tls_server);
    boost::system::error_code error;
    std::ignore = context->set_options(
        ssl::context::default_workarounds | ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1, error);
    if (!error) std::ignore = context->use_certificate_chain_file(files.certificate, error);
    if (error) return invalid_input("tls-certificate", files.certificate + ": " + error.message());
    std::ignore = context->use_private_key_file(files.key, ssl::context::pem, error);
    if (error) return invalid_input("tls-key", files.key + ": " + error.message());
    return context;
}

}  // namespace flowfabric::server
