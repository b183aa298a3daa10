#include "server/http/compression.hpp"

#include <zlib.h>

#include <utility>

#include <boost/beast/core/string.hpp>

namespace flowfabric::server {
namespace {

constexpr std::size_t smallest = 1'024;

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The gzip form; nothing if there is no memory for it.
std::optional<std::string> gzip(std::string_view text) {
    constexpr int level = 1;         // the fastest
    constexpr int window = 15 + 16;  // with the head and tail of gzip
    constexpr int memory = 8;
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, window, memory, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
    std::string packed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    if (!done) return std::nullopt;
    return packed;
}

}  // namespace

bool accepts_gzip(const Headers& headers) {
    std::string_view left = headers.find("Accept-Encoding").value_or("");
    while (!left.empty()) {
        const auto comma = left.find(',');
        const auto item = left.substr(0, comma);
        left = comma == std::string_view::npos ? std::string_view() : left.substr(comma + 1);
        const auto semicolon = item.find(';');
        if (!boost::beast::iequals(trimmed(item.substr(0, semicolon)), "gzip")) continue;
        const auto weight =
            semicolon == std::string_view::npos ? std::string_view() : trimmed(item.substr(semicolon + 1));
        return weight.find_first_not_of("q=0. ") != std::string_view::npos || weight.empty();
    }
    return false;
}

void compress(Response& response) {
    if (response.body.size() < smallest || response.content_type == "application/octet-stream") return;
    if (response.headers.find("Content-Encoding")) return;
    auto packed = gzip(response.body);
    if (!packed) return;
    response.body = *std::move(packed);
    response.headers.add("Content-Encoding", "gzip");
    response.headers.add("Vary", "Accept-Encoding");
}

}  // namespace flowfabric::server
