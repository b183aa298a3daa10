#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "e2e/e2e_test.hpp"

namespace flowfabric::test {
namespace {

// The whole answer to a GET, headers included.
std::string get(const std::string& url, const std::string& path) {
    const auto colon = url.rfind(':');
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0;) {
            answer.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }
    ::close(socket);
    return answer;
}

class Server : public EndToEnd {
  protected:
    std::unique_ptr<Process> start() {
        return std::make_unique<Process>(command({"server", "--json", "--listen", "127.0.0.1:0"}));
    }
    static std::string url_of(const Process& server) {
        return std::string(boost::json::parse(server.await_line("url")).at("url").as_string());
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, Server, durable_stores(), name_of_param);

TEST_P(Server, AnswersOnAFreePortAndStopsWhenAsked) {
    const auto server = start();
    const auto url = url_of(*server);

    const auto health = get(url, "/healthz");
    EXPECT_THAT(health, ::testing::StartsWith("HTTP/1.1 200"));
    const auto body = boost::json::parse(health.substr(health.find("\r\n\r\n") + 4));
    EXPECT_EQ(body.at("status").as_string(), "ok");
    EXPECT_EQ(body.at("store").as_string(), name_of(GetParam()));
    EXPECT_THAT(get(url, "/version"), ::testing::HasSubstr("\"version\""));
    EXPECT_THAT(get(url, "/nonsense"), ::testing::StartsWith("HTTP/1.1 404"));

    server->signal(SIGTERM);
    EXPECT_EQ(server->wait(), 0);
    EXPECT_EQ(get(url, "/healthz"), "");
}

TEST_P(Server, PromotesDelayedWorkForOthers) {
    const auto id = submit({"--delay", "200ms"});
    EXPECT_EQ(state_of(id), "delayed");
    const auto server = start();
    await_state(id, "waiting");
    server->signal(SIGTERM);
    EXPECT_EQ(server->wait(), 0);
}

}  // namespace
}  // namespace flowfabric::test
