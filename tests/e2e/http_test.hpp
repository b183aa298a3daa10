#pragma once

#include <csignal>

#include "e2e/e2e_test.hpp"
#include "support/http_exchange.hpp"
#include "support/raw_http.hpp"

namespace flowfabric::test {

// `ff server` on the store, and a client that knows nothing but HTTP and JSON.
class HttpApi : public EndToEnd {
  protected:
    void SetUp() override {
        EndToEnd::SetUp();
        server_ = std::make_unique<Process>(command({"server", "--json", "--listen", "127.0.0.1:0"}));
        const std::string url = text(boost::json::parse(server_->await_line("url")).at("url"));
        port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    }
    void TearDown() override {
        server_->signal(SIGTERM);
        EXPECT_EQ(server_->wait(), 0);
        EndToEnd::TearDown();
    }

    HttpAnswer get(const std::string& target) const { return http_call(port_, "GET", target); }
    HttpAnswer post(const std::string& target, const std::string& body = "") const {
        return send("POST", target, body);
    }
    HttpAnswer put(const std::string& target, const std::string& body) const { return send("PUT", target, body); }
    HttpAnswer send(const std::string& method, const std::string& target, const std::string& body) const {
        return http_call(port_, method, target, body, {{"Content-Type", "application/json"}});
    }

    // The id of a new execution in the lane.
    std::string create(const std::string& lane, const std::string& more = "") const {
        const auto answer = post("/v1/executions", R"({"execution_kind":"test","lane_id":")" + lane + '"' + more + '}');
        EXPECT_EQ(answer.status, 201) << answer.body;
        return text(answer.json().at("Created").at("execution_id"));
    }
    // The lease of the only task that there is in the lane.
    std::string claim(const std::string& lane) const {
        const auto answer =
            post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":[")" + lane + R"("]})");
        EXPECT_EQ(answer.status, 200) << answer.body;
        const auto claimed = answer.json();
        const auto& tasks = claimed.at("tasks").as_array();
        if (tasks.empty()) throw std::runtime_error("nothing to claim in " + lane);
        return text(tasks.front().at("lease"));
    }
    std::string state(const std::string& id) const { return text(get("/v1/executions/" + id + "/state").json()); }

    std::uint16_t port() const { return port_; }
    Process& server() { return *server_; }

  private:
    std::unique_ptr<Process> server_;
    std::uint16_t port_ = 0;
};

}  // namespace flowfabric::test
