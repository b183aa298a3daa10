#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace flowfabric::test {

// A client that sends what it is told, well-formed or not.
class RawHttp {
  public:
    // Not connected if nobody listens there.
    explicit RawHttp(std::uint16_t port);
    ~RawHttp();
    RawHttp(const RawHttp&) = delete;
    RawHttp& operator=(const RawHttp&) = delete;

    bool connected() const { return socket_ >= 0; }
    void send(const std::string& text) const;
    // Reads end when nothing has come for so long.
    void give_up_after(std::chrono::milliseconds silence) const;
    // What arrived up to and including the text; all of it if the server closes before.
    std::string read_until(const std::string& text);
    // Until the server closes.
    std::string read_all();

  private:
    bool receive();

    int socket_ = -1;
    std::string received_;
};

// The whole answer to a GET, headers included; empty if nobody listens.
std::string http_get(std::uint16_t port, const std::string& path);

}  // namespace flowfabric::test
