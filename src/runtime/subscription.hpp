#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/events/event_tail.hpp"
#include "flowfabric/subscription.hpp"

namespace flowfabric {

// What lies between the tail's thread and one consumer: a bounded queue of deliveries. Shared by both; either may go
// first.
class Mailbox final : public EventSink {
  public:
    Mailbox(std::size_t capacity, std::function<void()> room) : capacity_(capacity), room_(std::move(room)) {}

    // By the tail.
    bool offer(const std::shared_ptr<const Event>& event) override;
    bool has_room() override;
    bool closed() const override { return closed_; }
    void reached(std::int64_t event_id) override;
    void expired(std::int64_t position, std::int64_t trimmed) override;
    void disconnected(StreamDisconnected notice);
    void end(EngineError reason);

    // By the consumer.
    Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout);
    void notify(std::function<void()> ready);
    std::int64_t position() const;
    void close();

  private:
    using Item = std::variant<std::shared_ptr<const Event>, StreamDisconnected>;

    void tell_ready();

    const std::size_t capacity_;
    const std::function<void()> room_;  // there is room again
    std::atomic<bool> closed_ = false;

    mutable std::mutex mutex_;  // guards everything below
    std::condition_variable arrived_;
    std::deque<Item> items_;
    std::size_t events_ = 0;
    std::int64_t reached_ = 0;  // by the tail
    std::int64_t taken_ = 0;    // by the consumer, or not for it
    bool was_full_ = false;
    bool untold_ = false;  // events came that the consumer was not woken for
    std::optional<EngineError> ended_;
    std::function<void()> ready_;
};

class MailboxSubscription final : public Subscription {
  public:
    explicit MailboxSubscription(std::shared_ptr<Mailbox> mailbox) : mailbox_(std::move(mailbox)) {}
    ~MailboxSubscription() override { mailbox_->close(); }
    MailboxSubscription(const MailboxSubscription&) = delete;
    MailboxSubscription& operator=(const MailboxSubscription&) = delete;

    Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout) override { return mailbox_->next(timeout); }
    void notify(std::function<void()> ready) override { mailbox_->notify(std::move(ready)); }
    Bytes cursor() const override { return cursor_at(mailbox_->position()); }

  private:
    std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace flowfabric
