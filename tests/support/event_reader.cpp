#include "support/event_reader.hpp"

#include <sstream>

namespace flowfabric::test {

// By HTTP/1.0, whose bodies are not cut into chunks.
EventReader::EventReader(std::uint16_t port, const std::string& target,
                         const std::vector<std::pair<std::string, std::string>>& headers)
    : connection_(port) {
    std::string request = "GET " + target + " HTTP/1.0\r\nHost: localhost\r\n";
    for (const auto& [name, value] : headers) request.append(name).append(": ").append(value).append("\r\n");
    connection_.send(request + "\r\n");
    head_ = connection_.read_until("\r\n\r\n");
}

std::optional<EventReader::Message> EventReader::next() {
    for (;;) {
        const std::string block = connection_.read_until("\n\n");
        if (!block.ends_with("\n\n")) return std::nullopt;
        std::istringstream lines(block);
        Message message;
        bool has_data = false;
        for (std::string line; std::getline(lines, line);) {
            const auto colon = line.find(':');
            if (line.empty() || colon == 0) continue;
            const std::string field = line.substr(0, colon);
            const std::string value = line.substr(colon + 2);
            if (field == "event") message.name = value;
            if (field == "id") last_id_ = value;
            if (field != "data") continue;
            has_data = true;
            message.data = boost::json::parse(value);
        }
        message.id = last_id_;
        if (has_data) return message;
    }
}

}  // namespace flowfabric::test
