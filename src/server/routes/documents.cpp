#include "server/routes/documents.hpp"

#include <string>

#include <fmt/format.h>
#include <boost/crc.hpp>

#include "api/json_text.hpp"
#include "api/openapi/document.hpp"
#include "server/routes/web_file.hpp"

namespace flowfabric::server {
namespace {

// Nothing but what this server serves, and nothing inline.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

// A text that changes with the program alone.
struct Document {
    std::string type;
    std::string text;
    std::string tag;
};

Document document_of(std::string_view type, std::string text) {
    boost::crc_32_type sum;
    sum.process_bytes(text.data(), text.size());
    std::string tag = fmt::format("\"{:08x}-{:x}\"", sum.checksum(), text.size());
    return {std::string(type), std::move(text), std::move(tag)};
}

bool is_known(const Request& request, const Document& document) {
    const auto known = request.headers.find("if-none-match");
    return known && (*known == "*" || known->find(document.tag) != std::string_view::npos);
}

void send(const Document& document, const Request& request, const Responder& responder) {
    Response response{.status = is_known(request, document) ? 304U : 200U, .content_type = document.type};
    if (response.status == 200) response.body = document.text;
    response.headers = {{"ETag", document.tag},
                        {"Cache-Control", "no-cache"},
                        {"X-Content-Type-Options", "nosniff"},
                        {"Referrer-Policy", "no-referrer"},
                        {"Content-Security-Policy", std::string(content_policy)}};
    responder.respond(std::move(response));
}

const Document& description() {
    static const Document document = document_of("application/json", api::json_text(api::openapi_document()));
    return document;
}

}  // namespace

void add_document_routes(Router& router) {
    // They tell of the program, and nothing of the store.
    const RouteRules open{.scope = Scope::read, .open = true};
    router.add(
        "GET", "/v1/openapi.json",
        [](const Request& request, const Responder& responder) { send(description(), request, responder); }, open);
    for (const WebFile& file : docs_files()) {
        const std::string path = file.name == "index.html" ? "/docs" : "/docs/" + std::string(file.name);
        router.add(
            "GET", path,
            [document = document_of(file.type, std::string(file.text))](
                const Request& request, const Responder& responder) { send(document, request, responder); },
            open);
    }
}

}  // namespace flowfabric::server
