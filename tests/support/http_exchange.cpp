#include "support/http_exchange.hpp"

#include <algorithm>
#include <sstream>

#include "support/raw_http.hpp"

namespace flowfabric::test {

HttpAnswer http_call(std::uint16_t port, const std::string& method, const std::string& target, const std::string& body,
                     const std::vector<std::pair<std::string, std::string>>& headers) {
    RawHttp connection(port);
    if (!connection.connected()) return {};
    std::string request = method + ' ' + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    for (const auto& [name, value] : headers) request.append(name).append(": ").append(value).append("\r\n");
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    connection.send(request + "\r\n" + body);
    const std::string all = connection.read_all();
    const auto head_end = all.find("\r\n\r\n");
    HttpAnswer answer;
    if (head_end == std::string::npos) return answer;
    std::istringstream head(all.substr(0, head_end));
    std::string line;
    std::getline(head, line);
    answer.status = std::stoi(line.substr(line.find(' ') + 1));
    while (std::getline(head, line)) {
        const auto colon = line.find(':');
        std::string name = line.substr(0, colon);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        answer.headers[name] = line.substr(colon + 2, line.find_last_not_of('\r') - colon - 1);
    }
    answer.body = all.substr(head_end + 4);
    return answer;
}

}  // namespace flowfabric::test
