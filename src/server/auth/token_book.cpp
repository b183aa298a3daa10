#include "server/auth/token_book.hpp"

#include <chrono>
#include <iterator>
#include <utility>

#include "runtime/threads/guard.hpp"

namespace flowfabric::server {
namespace {

constexpr std::chrono::seconds interval{1};

}  // namespace

Result<std::unique_ptr<TokenBook>> TokenBook::open(Read read, std::optional<std::string> own_secret) {
    std::unique_ptr<TokenBook> book(new TokenBook(std::move(read), std::move(own_secret)));
    if (auto done = book->read(); !done) return done.error();
    book->thread_ = std::thread([self = book.get()] { self->run(); });
    return book;
}

TokenBook::~TokenBook() {
    stop();
}

void TokenBook::stop() {
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    asked_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const AcceptedTokens> TokenBook::current() const {
    const std::scoped_lock lock(mutex_);
    return current_;
}

void TokenBook::renew(std::function<void()> done) {
    {
        const std::scoped_lock lock(mutex_);
        if (!ended_) {
            waiting_.push_back(std::exchange(done, nullptr));
            asked_.notify_all();
        }
    }
    if (done) done();
}

Result<void> TokenBook::read() {
    auto accepted = read_();
    if (!accepted) return accepted.error();
    if (own_secret_) {
        accepted->add(*own_secret_, {.name = "FF_API_TOKEN", .scopes = {Scope::admin}, .namespaces = {}});
    }
    auto next = std::make_shared<const AcceptedTokens>(*std::move(accepted));
    const std::scoped_lock lock(mutex_);
    current_ = std::move(next);
    return {};
}

bool TokenBook::read_again() {
    const auto done = read();
    if (!done && !std::exchange(reads_fail_, true)) {
        log_warning("tokens cannot be read and hold as they were: " + to_string(done.error()));
    }
    if (done && std::exchange(reads_fail_, false)) log_info("tokens are read again");
    return done.has_value();
}

void TokenBook::run() {
    std::vector<std::function<void()>> served;
    for (bool goes_on = true; goes_on;) {
        {
            std::unique_lock lock(mutex_);
            asked_.wait_for(lock, interval, [&] { return ended_ || !waiting_.empty(); });
            goes_on = !ended_;
            served.insert(served.end(), std::move_iterator(waiting_.begin()), std::move_iterator(waiting_.end()));
            waiting_.clear();
        }
        bool knows = !goes_on;
        if (goes_on) contain("reading the tokens broke", [&] { knows = read_again(); });
        if (!knows) continue;
        for (const auto& done : std::exchange(served, {})) {
            contain("the answer to a change of tokens broke", done);
        }
    }
}

}  // namespace flowfabric::server
