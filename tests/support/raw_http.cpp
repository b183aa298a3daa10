#include "support/raw_http.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace flowfabric::test {

RawHttp::RawHttp(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
    ::close(std::exchange(socket_, -1));
}

RawHttp::~RawHttp() {
    if (connected()) ::close(socket_);
}

void RawHttp::send(const std::string& text) const {
    ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
}

void RawHttp::give_up_after(std::chrono::milliseconds silence) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(silence);
    timeval limit{};
    limit.tv_sec = seconds.count();
    limit.tv_usec = std::chrono::microseconds(silence - seconds).count();
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

bool RawHttp::receive() {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got > 0) received_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
}

std::string RawHttp::read_until(const std::string& text) {
    std::size_t found = 0;
    while ((found = received_.find(text)) == std::string::npos && receive()) {
    }
    const std::size_t end = found == std::string::npos ? received_.size() : found + text.size();
    std::string read = received_.substr(0, end);
    received_.erase(0, end);
    return read;
}

std::string RawHttp::read_all() {
    while (receive()) {
    }
    return std::exchange(received_, {});
}

std::string http_get(std::uint16_t port, const std::string& path) {
    RawHttp client(port);
    if (!client.connected()) return {};
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return client.read_all();
}

}  // namespace flowfabric::test
