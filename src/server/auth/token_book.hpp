#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "flowfabric/result.hpp"
#include "flowfabric/token.hpp"

namespace flowfabric::server {

// The tokens that this server accepts, read from the store beforehand: no request waits for that. What another process
// changes binds within a second.
//
// Life cycle: open() reads for the first time and starts a thread; stop(), or the destructor, joins it.
// Threads: any may call any member. The store is read on the book's own thread, which also calls what renew() is given.
// Stopping: what still waits for a renewal is called.
class TokenBook {
  public:
    using Read = std::function<Result<AcceptedTokens>()>;

    // `own_secret` has every right on this server, whatever the store says.
    static Result<std::unique_ptr<TokenBook>> open(Read read, std::optional<std::string> own_secret);
    ~TokenBook();
    TokenBook(const TokenBook&) = delete;
    TokenBook& operator=(const TokenBook&) = delete;

    std::shared_ptr<const AcceptedTokens> current() const;
    // Calls back when the store has been read once more, however long that takes.
    void renew(std::function<void()> done);
    void stop();

  private:
    TokenBook(Read read, std::optional<std::string> own_secret)
        : read_(std::move(read)), own_secret_(std::move(own_secret)) {}

    void run();
    Result<void> read();
    bool read_again();

    const Read read_;
    const std::optional<std::string> own_secret_;
    bool reads_fail_ = false;  // the thread's own

    mutable std::mutex mutex_;  // guards everything below but thread_
    std::condition_variable asked_;
    std::shared_ptr<const AcceptedTokens> current_;
    std::vector<std::function<void()>> waiting_;
    bool ended_ = false;

    std::thread thread_;
};

}  // namespace flowfabric::server
