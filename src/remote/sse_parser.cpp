#include "remote/sse_parser.hpp"

#include <utility>

namespace flowfabric::remote {

std::optional<SseMessage> SseParser::next() {
    for (auto end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        if (line.ends_with('\r')) line.pop_back();
        if (!line.empty()) {
            take_line(line);
            continue;
        }
        SseMessage message = std::exchange(message_, {});
        if (!message.data.empty() || !message.id.empty()) return message;
    }
    return std::nullopt;
}

void SseParser::take_line(std::string_view line) {
    const auto colon = line.find(':');
    const auto name = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "event") message_.event = value;
    if (name == "id") message_.id = value;
    if (name == "data") {
        if (!message_.data.empty()) message_.data += '\n';
        message_.data += value;
    }
}

}  // namespace flowfabric::remote
