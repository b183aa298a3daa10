#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace flowfabric::remote {

// Finds the addresses of a host. What the system does for that cannot be ended, and may take much longer than anything
// may wait: it has a thread of its own, which nothing joins and whose answer may come too late.
//
// Threads: the one that runs the io_context.
class Lookup {
  public:
    using Error = boost::system::error_code;
    struct Found {
        Error error;
        boost::asio::ip::tcp::resolver::results_type places;
    };
    // It may block; it refers to nothing that ends before the process.
    using Find = std::function<Found()>;

    explicit Lookup(boost::asio::io_context& io) : io_(io), timer_(io) {}

    // One at a time. Until the time is over or cancel() is called.
    boost::asio::awaitable<Found> run(Find find, std::chrono::steady_clock::time_point until);
    void cancel();

  private:
    struct Search;

    boost::asio::io_context& io_;
    boost::asio::steady_timer timer_;
    bool cancelled_ = false;
};

Lookup::Find places_of(const std::string& host, const std::string& port);

}  // namespace flowfabric::remote
