#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/events/execution_history.hpp"
#include "flowfabric/subscription.hpp"
#include "runtime/hub/reader_pool.hpp"

namespace flowfabric {

// One execution on all channels: its history, read from the store, then what subscriptions of the channels bring, and
// at its end once more what the store has, so that nothing comes behind the last completion.
class ExecutionSubscription final : public Subscription {
  public:
    struct Start {
        ExecutionId id;
        Bytes cursor;
        bool from_oldest = false;
        std::int64_t created_at_ms = 0;
    };
    // Subscribes to the execution's events on a channel from now.
    using Follow = std::function<Result<std::unique_ptr<Subscription>>(Channel)>;

    static Result<std::unique_ptr<Subscription>> open(const Start& start, std::shared_ptr<ReaderPool> readers,
                                                      const Follow& follow);

    Result<std::optional<Delivery>> next(std::chrono::milliseconds timeout) override;
    void notify(std::function<void()> ready) override;
    Bytes cursor() const override { return cursor_at(positions()); }
    bool ended() const override { return is_last_ && !history_; }

  private:
    // Rung by each of the subscriptions.
    struct Bell {
        std::mutex mutex;  // guards the rest
        std::condition_variable changed;
        bool rung = false;
        std::function<void()> ready;
        void ring();
    };

    ExecutionSubscription(const ExecutionId& id, std::shared_ptr<ReaderPool> readers)
        : id_(id), readers_(std::move(readers)) {}

    Result<bool> has_ended(bool if_absent);
    Result<void> follow_all(const Follow& follow);
    Result<ChannelPositions> reached() const;
    Result<ChannelPositions> drawn();
    Result<ChannelPositions> beginning(const Start& start, const ChannelPositions& up_to);
    Result<void> check_reach(const ChannelPositions& after, const ChannelPositions& up_to);
    Result<std::optional<Delivery>> take();
    Result<std::optional<Delivery>> take_from_history();
    Result<std::optional<Delivery>> take_from_channels();
    Result<void> turn_to_the_end(std::int64_t completion);
    ChannelPositions positions() const;

    const ExecutionId id_;
    const std::shared_ptr<ReaderPool> readers_;
    const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
    std::array<std::unique_ptr<Subscription>, execution_channels.size()>
        followed_;               // by Channel; none once it has ended
    ChannelPositions passed_{};  // by what was delivered
    std::optional<ExecutionHistory> history_;
    bool is_last_ = false;  // nothing comes behind the history
};

}  // namespace flowfabric
