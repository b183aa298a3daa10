#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/batching/decide_batch.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// What others have submitted of these executions through SQL.
using InboxLookup = std::function<StoreResult<std::vector<Submission>>(const std::vector<ExecutionId>&)>;

// Carries one batch from the hub through a writer and back, one store call a step, so that a thread can run it through
// and a simulation can stop between any two calls. On a store with an inbox, what its commands are about and is still
// in there is taken in with them.
class BatchRun {
  public:
    // A test may watch what is decided.
    BatchRun(CommandHub& hub, Batch batch, InboxLookup inbox = {}, DecideBatch decide = decide_batch)
        : hub_(hub), batch_(std::move(batch)), inbox_(std::move(inbox)), decide_(decide) {}

    bool done() const { return stage_ == Stage::done; }
    // The writer is not to be used again; go on with a new one.
    bool writer_lost() const { return writer_lost_; }
    // COMMIT was sent and its reply lost: only a writer can tell the end of this.
    bool outcome_pending() const { return stage_ == Stage::outcome; }

    void step(StoreWriter& writer);
    // No writer could be opened. A pending outcome stays pending.
    void no_writer(const StoreError& error);
    // Gives up on an unknown outcome; its callers learn that it is unknown.
    void give_up(std::string_view why);

  private:
    enum class Stage : std::uint8_t { load, save, outcome, done };

    void advance(StoreWriter& writer);
    bool prepare(StoreWriter& writer);
    bool prepare_afresh(StoreWriter& writer, const RoutesWanted& wanted);
    void load(StoreWriter& writer);
    struct Rows {
        LoadRequest request;
        Loaded loaded;
    };
    std::optional<Rows> load_rows(StoreWriter& writer);
    bool take_in(const std::vector<ExecutionId>& missing);
    void save(StoreWriter& writer);
    void ask_outcome(StoreWriter& writer);
    void fail(const StoreError& error);
    void finish(const std::vector<Undispatched>& undispatched = {});

    CommandHub& hub_;
    Batch batch_;
    InboxLookup inbox_;
    DecideBatch decide_;
    std::optional<BatchDecision> decision_;
    Marker marker_;
    Stage stage_ = Stage::load;
    bool writer_lost_ = false;
};

}  // namespace flowfabric
