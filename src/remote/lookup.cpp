#include "remote/lookup.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "runtime/threads/guard.hpp"

namespace flowfabric::remote {

namespace asio = boost::asio;
using asio::ip::tcp;

// What the thread has to do with run(), which may have ended before.
struct Lookup::Search {
    std::mutex mutex;            // guards what follows
    std::function<void()> wake;  // empty: run() has ended
    std::optional<Found> found;

    struct Leave {
        void operator()(Search* left) const {
            const std::scoped_lock lock(left->mutex);
            left->wake = nullptr;
        }
    };
};

asio::awaitable<Lookup::Found> Lookup::run(Find find, std::chrono::steady_clock::time_point until) {
    cancelled_ = false;
    const auto search = std::make_shared<Search>();
    const std::unique_ptr<Search, Search::Leave> waiting(search.get());
    timer_.expires_at(until);
    search->wake = [this, weak = std::weak_ptr(search)] {
        asio::post(io_, [this, weak] {
            const auto still = weak.lock();
            if (!still) return;
            const std::scoped_lock lock(still->mutex);
            if (still->wake) timer_.cancel();
        });
    };
    std::thread([search, find = std::move(find)] {
        contain("looking up a host broke", [&] {
            Found found = find();
            const std::scoped_lock lock(search->mutex);
            search->found = std::move(found);
            if (search->wake) search->wake();
        });
    }).detach();
    Error ended;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ended));
    if (cancelled_) co_return Found{asio::error::operation_aborted, {}};
    const std::scoped_lock lock(search->mutex);
    if (search->found) co_return *std::move(search->found);
    co_return Found{asio::error::host_not_found_try_again, {}};
}

void Lookup::cancel() {
    cancelled_ = true;
    timer_.cancel();
}

Lookup::Find places_of(const std::string& host, const std::string& port) {
    return [host, port] {
        asio::io_context own;
        Lookup::Found found;
        found.places = tcp::resolver(own).resolve(host, port, found.error);
        return found;
    };
}

}  // namespace flowfabric::remote
