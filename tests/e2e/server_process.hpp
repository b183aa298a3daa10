#pragma once

#include <csignal>

#include "e2e/e2e_test.hpp"
#include "support/http_exchange.hpp"
#include "support/raw_http.hpp"

namespace flowfabric::test {

// `ff server` with options of the test's own.
class ServerProcess : public EndToEnd {
  protected:
    void serve(const std::vector<std::string>& options = {}) {
        std::vector<std::string> words{"server", "--json", "--listen", "127.0.0.1:0"};
        words.insert(words.end(), options.begin(), options.end());
        server_ = std::make_unique<Process>(command(words));
        url_ = text(boost::json::parse(server_->await_line("url")).at("url"));
        port_ = static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
    }
    // The status of its end.
    int stop() {
        server_->signal(SIGTERM);
        return server_->wait();
    }

    HttpAnswer get(const std::string& target, const std::vector<std::pair<std::string, std::string>>& headers = {}) {
        return http_call(port_, "GET", target, "", headers);
    }
    HttpAnswer post(const std::string& target, const std::string& body) {
        return http_call(port_, "POST", target, body, {{"Content-Type", "application/json"}});
    }

    Process& server() { return *server_; }
    const std::string& url() const { return url_; }
    std::uint16_t port() const { return port_; }

  private:
    std::unique_ptr<Process> server_;
    std::string url_;
    std::uint16_t port_ = 0;
};

// A certificate of 127.0.0.1, signed by itself, and its key.
class OwnCertificate {
  public:
    OwnCertificate() {
        const Finished made =
            run_program({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                         "-out", certificate_.path(), "-keyout", key_.path()});
        if (made.status != 0) throw std::runtime_error(made.errors);
    }

    const std::string& certificate() const { return certificate_.path(); }
    // Of a server that is to serve TLS with it.
    std::vector<std::string> options() const {
        return {"--tls-certificate", certificate_.path(), "--tls-key", key_.path()};
    }

  private:
    ScratchFile certificate_;
    ScratchFile key_;
};

// A request in JSON whose head is sent and read: the server has asked for the body.
inline std::unique_ptr<RawHttp> begin_request(std::uint16_t port, const std::string& target, const std::string& body) {
    auto client = std::make_unique<RawHttp>(port);
    client->send("POST " + target +
                 " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
                 "Content-Length: " +
                 std::to_string(body.size()) + "\r\n\r\n");
    client->read_until("100 Continue\r\n\r\n");
    return client;
}

}  // namespace flowfabric::test
