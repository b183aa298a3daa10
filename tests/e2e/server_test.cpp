#include <array>
#include <csignal>
#include <deque>
#include <future>

#include "e2e/e2e_test.hpp"
#include "e2e/frozen_server.hpp"
#include "support/http_exchange.hpp"
#include "support/raw_http.hpp"

namespace flowfabric::test {
namespace {

std::uint16_t port_in(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

std::string get(const std::string& url, const std::string& path) {
    return http_get(port_in(url), path);
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
    EXPECT_THAT(health, ::testing::EndsWith("\r\n\r\n{\"status\":\"ok\"}"));
    EXPECT_THAT(get(url, "/livez"), ::testing::StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(get(url, "/readyz"), ::testing::StartsWith("HTTP/1.1 200"));
    const auto version = get(url, "/version");
    const auto body = boost::json::parse(version.substr(version.find("\r\n\r\n") + 4));
    EXPECT_FALSE(body.at("version").as_string().empty());
    EXPECT_EQ(body.at("store").as_string(), name_of(GetParam()));
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
    std::deque<RawHttp> idle;
    for (int i = 0; i < 100; ++i) idle.emplace_back(port_in(url));
    EXPECT_THAT(get(url, "/healthz"), ::testing::StartsWith("HTTP/1.1 200"));
    idle.clear();
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
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    const auto down = http_call(port, "GET", "/healthz", "", {{"Accept", "application/problem+json"}});
    EXPECT_EQ(down.status, 503);
    EXPECT_EQ(down.headers.at("content-type"), "application/problem+json");
    EXPECT_EQ(down.headers.at("retry-after"), "1");
    EXPECT_EQ(down.json().at("kind"), "unavailable");
    EXPECT_EQ(down.json().at("store"), "sqlite");
    EXPECT_EQ(down.json().at("retryable"), true);
    EXPECT_EQ(down.json().at("request_id"), boost::json::value(down.headers.at("x-request-id")));
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
