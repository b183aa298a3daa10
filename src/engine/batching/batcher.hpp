#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/batching/batch.hpp"
#include "engine/claims/claim_directory.hpp"

namespace flowfabric {

struct BatchPolicy {
    std::uint32_t max_rows = 500;
    std::uint32_t min_rows = 50;
    std::size_t max_bytes = 4U << 20U;      // of a batch's commands
    SteadyMs target_ms = 25;                // a transaction's length that max_rows is adapted to
    std::uint32_t second_writer_rows = 24;  // queued rows from which a second writer pays
    bool second_writer = false;             // the runtime has one
    std::size_t max_queued = 100'000;
    std::size_t max_queued_bytes = 256U << 20U;  // of the commands that are not answered yet
    std::uint8_t max_busy_rounds = 3;
    std::uint8_t max_tries = 3;  // of a batch under contention, then of each command alone
};

enum class WriterRole : std::uint8_t {
    primary,
    secondary,  // joins under load
    patient,    // takes one command at a time and waits for its row
};

struct Finished {
    CommandId id = 0;
    Result<Answer> answer = EngineError{};
};

// Forms batches of what arrives and deals with what comes back. Commands that arrive while a transaction runs form the
// next batch; one alone never waits. No I/O, no clock, no threads: the caller serialises the calls and tells the time.
class Batcher {
  public:
    Batcher(BatchPolicy policy, ClaimDirectory& directory) : policy_(policy), directory_(directory) {}

    // Queues the command, or refuses it when the queues are full.
    std::optional<EngineError> submit(PendingCommand command);

    // The next batch for a writer; nothing if there is nothing that this writer should do now.
    std::optional<Batch> next(WriterRole role, SteadyMs now);
    // The classes that must exist before the batch loads, and the lanes whose classes it wants read anew.
    RoutesWanted wanted_routes(const Batch& batch) const;
    // After learn_routes: fixes class ids and selections. False if a class is still missing.
    bool resolve_classes(Batch& batch, SteadyMs now);

    void committed(Batch batch, BatchDecision decision, SteadyMs now, std::vector<Finished>& finished);
    void failed(Batch batch, const StoreError& error, SteadyMs now, std::vector<Finished>& finished);
    // For a batch that may have been committed, when no writer will be asked about it any more.
    void given_up(Batch batch, std::string_view why, std::vector<Finished>& finished);

    // Work may have become claimable: waiting claims look again.
    void wake_claims();
    // Answers what has waited too long: deadlines with `timeout`, or `unknown_outcome` if the command is under way and
    // may yet be committed; waiting claims with nothing. An answer may come a second time when such a batch is back.
    void expire(SteadyMs now, std::vector<Finished>& finished);
    // When expire() or next() has something to do although nothing new arrived.
    std::optional<SteadyMs> next_due() const;
    // Answers everything that is queued with `error`; batches in flight come back through committed() and failed().
    void refuse_all(const EngineError& error, std::vector<Finished>& finished);

    bool second_writer_pays() const { return policy_.second_writer && ready_rows_ >= policy_.second_writer_rows; }
    bool has_patient_work() const { return !patient_.empty() || std::ranges::any_of(retries_, is_patient); }
    bool has_waiting_claims() const { return !waiting_claims_.empty() || waiting_in_flight_ > 0; }
    bool idle() const { return queued_ == 0 && in_flight_batches_ == 0; }

  private:
    using Queue = std::deque<PendingCommand>;
    Queue& queue(Urgency urgency) { return queues_[static_cast<std::size_t>(urgency)]; }
    Queue& queue_of(const Command& command) { return queue(command->traits().urgency); }

    struct Retry {
        Batch batch;
        SteadyMs not_before = 0;
    };
    static bool is_patient(const Retry& retry) { return retry.batch.patient; }

    // What is known of a batch while a writer has it.
    struct InFlight {
        struct Entry {
            CommandId id = 0;
            SteadyMs deadline = 0;
            std::string_view name;
        };
        CommandId last = 0;           // tells the batch: submissions that it takes in come before this command
        std::vector<Entry> commands;  // not answered yet
        SteadyMs next_deadline = std::numeric_limits<SteadyMs>::max();

        void add(const PendingCommand& pending);
    };

    bool blocked_by_flight(const PendingCommand& pending) const;
    bool take(Queue& queue, Batch& batch, std::uint32_t up_to_rows);
    std::optional<Batch> next_retry(WriterRole role, SteadyMs now);
    std::optional<Batch> launch(Batch batch, SteadyMs now);
    std::uint32_t rows_for_one_writer() const;
    void land(const Batch& batch);
    void adapt(const Batch& batch, SteadyMs now);
    void requeue(PendingCommand pending);
    void take_along_waiting_claims(Batch& batch);
    void set_down_waiting_claims(Batch& batch);
    void retry_later(Batch batch, SteadyMs not_before);
    EngineError overdue(ErrorKind kind, std::string_view command, std::string_view why) const;

    BatchPolicy policy_;
    ClaimDirectory& directory_;
    std::array<Queue, 3> queues_;  // by Urgency
    std::deque<PendingCommand> patient_;
    std::deque<PendingCommand> waiting_claims_;
    std::size_t waiting_in_flight_ = 0;  // waiting claims that a batch in flight has taken along
    std::deque<Retry> retries_;
    std::unordered_set<ExecutionId> in_flight_;  // rows that a running batch of ours has locked
    std::size_t queued_ = 0;                     // commands in all of the queues above
    std::uint64_t ready_rows_ = 0;               // what the commands in queues_ may touch
    std::size_t in_flight_batches_ = 0;
    std::vector<InFlight> flights_;
    std::string last_fault_;  // of the store, until a batch is committed
    std::uint64_t work_generation_ = 0;
    std::uint32_t adapted_rows_ = policy_.max_rows;
};

}  // namespace flowfabric
