#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "api/streams/output_walk.hpp"
#include "flowfabric/client.hpp"
#include "server/routes/message_source.hpp"

namespace flowfabric::server {

// The output of an execution, from attempt to attempt, as messages: `frame`, and `closed` at the end of each attempt's
// stream.
//
// Threads: one calls it at a time; the engine tells of what comes on its own. What waits holds no thread.
class OutputMessages final : public MessageSource {
  public:
    // Calls it, on any thread, whenever the execution may have ended, until that returns false.
    using TellOfEnd = std::function<void(std::function<bool()>)>;

    // The client outlives it.
    OutputMessages(Client& client, const ExecutionId& id, const api::OutputWalk::Options& options,
                   const TellOfEnd& tell);
    ~OutputMessages() override;
    OutputMessages(const OutputMessages&) = delete;
    OutputMessages& operator=(const OutputMessages&) = delete;

    Result<std::optional<std::string>> next() override;
    void notify(std::function<void()> ready) override;
    Bytes cursor() const override { return place_.value_or(walk_.place()).cursor(); }
    bool ended() const override { return items_.empty() && walk_.step() == api::OutputWalk::Step::done; }

  private:
    // Rung by the engine's answers, which may come after this object.
    struct Bell {
        std::mutex mutex;  // guards the rest
        std::function<void()> ready;
        std::uint64_t turn = 0;  // of the tail whose answer counts
        std::optional<Result<StreamPage>> answer;
        bool may_have_ended = false;

        void ring();
    };

    Result<bool> advance();
    Result<bool> look();
    Result<bool> tail();
    void wait_for(const TailStream& next);
    Result<bool> take(Result<StreamPage> page);

    Client& client_;
    const ExecutionId id_;
    api::OutputWalk walk_;
    std::deque<api::OutputItem> items_;
    std::optional<api::OutputPlace> place_;  // behind what next() has given
    bool waiting_ = false;                   // a tail is under way
    const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
};

}  // namespace flowfabric::server
