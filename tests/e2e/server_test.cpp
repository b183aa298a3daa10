#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>

#include "e2e/e2e_test.hpp"
#include "e2e/frozen_server.hpp"

namespace flowfabric::test {
namespace {

// Negative if nobody listens.
int connected(const std::string& url) {
    const auto colon = url.rfind(':');
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    return -1;
}

// The whole answer to a GET, headers included.
std::string get(const std::string& url, const std::string& path) {
    const int socket = connected(url);
    std::string answer;
    if (socket >= 0) {
        const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
        std::array<char, 4096> buffer{};
        for (ssize_t got = 0; (got = ::recv(socket, buffer.data(), buffer.size(), 0)) > 0;) {
            answer.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }
    if (socket >= 0) ::close(socket);
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

TEST_P(Server, ClosesWhatOnlyWaitsBeforeDescriptorsRunOut) {
    const std::vector<std::string> limited = command({"server", "--json", "--listen", "127.0.0.1:0"});
    std::vector<std::string> words{"sh", "-c", "ulimit -n 96; exec \"$@\"", "sh"};
    words.insert(words.end(), limited.begin(), limited.end());
    Process server(words);
    const auto url = url_of(server);
    std::vector<int> idle;
    for (int i = 0; i < 100; ++i) idle.push_back(connected(url));
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 200"));
    for (const int socket : idle) ::close(socket);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

class SqliteServer : public Server {
  protected:
    std::string path() { return store().url().substr(std::string("sqlite:").size()); }
};
INSTANTIATE_TEST_SUITE_P(Stores, SqliteServer, ::testing::Values(StoreKind::sqlite), name_of_param);

TEST_P(SqliteServer, IsNotHealthyOverARemovedOrRuinedFile) {
    const auto server = start();
    const auto url = url_of(*server);
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 200"));

    std::filesystem::rename(path(), path() + ".away");
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 503"));
    std::filesystem::copy_file(path() + ".away", path());
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 503")) << "another file under the same name";
    std::filesystem::rename(path() + ".away", path());
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 200"));

    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    std::array<char, 16> header{};
    file.read(header.data(), header.size());
    file.seekp(0).write("ruined by a tool", header.size()).flush();
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 503"));
    file.seekp(0).write(header.data(), header.size()).flush();
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 200"));

    server->signal(SIGTERM);
    EXPECT_EQ(server->wait(), 0);
}

class PostgresServer : public Server {};
INSTANTIATE_TEST_SUITE_P(Stores, PostgresServer, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(PostgresServer, TellsAllWhoAskThatTheStoreHangsAndThatItIsBack) {
    if (!FrozenServer::possible()) GTEST_SKIP() << "no FF_TEST_PGDATA: run under script/with-postgres";
    const auto server = start();
    const auto url = url_of(*server);
    {
        const FrozenServer frozen;
        std::vector<std::future<std::string>> answers;
        for (int i = 0; i < 12; ++i) {
            answers.push_back(std::async(std::launch::async, [&] { return get(url, "/healthz"); }));
        }
        for (auto& answer : answers) EXPECT_THAT(answer.get(), ::testing::StartsWith("HTTP/1.1 503"));
    }
    await("health", [&] { return get(url, "/healthz").starts_with("HTTP/1.1 200"); });
    server->signal(SIGTERM);
    EXPECT_EQ(server->wait(), 0);
}

}  // namespace
}  // namespace flowfabric::test
