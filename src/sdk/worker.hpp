#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "flowfabric/client.hpp"

// Runs a handler for every execution that it can claim, keeps the lease alive meanwhile and reports the outcome. The
// registry of workers lists it for as long as it runs.
//
// Life cycle: the constructor starts the threads; stop(), or the destructor, ends them. The client outlives the worker.
// Threads: one claims, one renews all leases, one keeps the registration, `concurrency` run the handler, each call on
// one of them to its end. Members may be called from any other thread, the client's executor included. Stopping:
// drain() ends claiming, cancel_running() asks handlers to end, stop() does both, a grace period apart. An operator may
// ask for drain(), or that nothing is claimed for a time.
//
// What a handler throws fails its task; what an observer throws is logged.
namespace flowfabric::sdk {

// One claimed execution, as its handler sees it.
struct Task {
    const ClaimedExecution& execution;
    // Stop is requested when the lease is lost, and when the worker stops and no longer waits. Renewals of other leases
    // wait for what is called back.
    std::stop_token stop;
};

struct TaskSuccess {
    Bytes result;
    std::optional<std::string> result_encoding;
};

struct TaskFailure {
    std::string reason;
    std::string category = "transient";
};

// Nothing is reported: the lease runs out and the execution is reclaimed without costing it a retry.
struct TaskAbandoned {};

// The worker lets it go until the condition is met; whose lease it is, is filled in. If the condition is met already
// it runs again.
struct TaskSuspension {
    Suspend wait;
};

// The worker lets it go until a time, without costing it a retry.
struct TaskDelay {
    std::int64_t until_ms = 0;
};

// The task is given back as if it had not been claimed, for a kind that the handler does not know. The next claim waits
// for a moment: it may well find the same one.
struct TaskReleased {};

using TaskOutcome = std::variant<TaskSuccess, TaskFailure, TaskAbandoned, TaskSuspension, TaskDelay, TaskReleased>;
using TaskHandler = std::function<TaskOutcome(const Task&)>;

enum class TaskEnd : std::uint8_t {
    completed,
    retry_scheduled,
    failed,
    suspended,
    delayed,
    released,
    lease_lost,
    abandoned,
    not_reported,
};

struct TaskReport {
    const ClaimedExecution& execution;
    TaskEnd end = TaskEnd::completed;
    std::string detail;  // why it did not complete
    std::chrono::milliseconds elapsed{0};
};

struct WorkerOptions {
    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::string worker_id;
    std::string worker_instance_id;
    std::uint32_t concurrency = 1;
    std::uint64_t max_tasks = std::numeric_limits<std::uint64_t>::max();  // after as many it claims nothing more
    std::chrono::milliseconds lease_ttl{30'000};
    std::chrono::milliseconds claim_wait{2'000};  // how long one claim waits for work; bounds how long drain() takes
    std::chrono::milliseconds stop_grace{30'000};
    std::string namespace_name = "default";  // that it is registered in; claims know none
    std::chrono::milliseconds liveness_ttl{30'000};
    // For a client whose answers can be lost on the way: a claim that got none is repeated, not made anew.
    bool repeats_claims = false;

    // Observers; called without a lock held, on_finished from several threads at once.
    std::function<void(const TaskReport&)> on_finished;
    std::function<void(const EngineError&)> on_claim_error;           // for claims that are tried again
    std::function<void(const EngineError&)> on_registration_refused;  // it works on without
    std::function<void(const WorkerMode&)> on_mode;                   // what operators ask, when that has changed
};

class Worker {
  public:
    Worker(Client& client, WorkerOptions options, TaskHandler handler);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Claims nothing more; returns at once.
    void drain();
    // Requests stop on every running task; returns at once.
    void cancel_running();
    // Returns once claiming has ended and every claimed execution is dealt with; fails when claiming ended by an error.
    Result<void> wait();
    // Nothing if that takes longer.
    std::optional<Result<void>> wait_for(std::chrono::milliseconds at_most);
    // Whether some handler runs.
    bool handling() const;
    void stop();

  private:
    using Clock = std::chrono::steady_clock;

    // A lease from its claim to its report. By `expires_at` it has run out for certain.
    struct Lease {
        ClaimedExecution execution;
        std::stop_source stop;
        Clock::time_point renew_at;
        Clock::time_point expires_at;
        bool renewing = false;
        bool lost = false;
    };
    using LeasePtr = std::shared_ptr<Lease>;

    class Backoff;

    void claim_loop();
    void handle_loop();
    void renew_loop();
    void registry_loop();

    bool claim_once(Backoff& backoff);
    Claim claim_command(std::size_t free_slots) const;
    void give_back(const std::vector<ClaimedExecution>& executions);
    void admit(std::vector<ClaimedExecution> executions);
    void obey(WorkerMode asked, std::unique_lock<std::mutex>& lock);
    bool renew_due();
    void renew(const LeasePtr& lease);
    void on_renewed(const LeasePtr& lease, Clock::time_point sent_at, const Result<Renewed>& answer);
    RegisterWorker registration() const;

    TaskReport run(Lease& lease);
    TaskOutcome call_handler(Lease& lease);
    void report(Lease& lease, const TaskSuccess& success, TaskReport& report);
    void report(Lease& lease, const TaskFailure& failure, TaskReport& report);
    void report(Lease& lease, const TaskAbandoned&, TaskReport& report);
    void report(Lease& lease, const TaskSuspension& suspension, TaskReport& report);
    void report(Lease& lease, const TaskDelay& delay, TaskReport& report);
    void report(Lease& lease, const TaskReleased&, TaskReport& report);
    // What was refused ends the task; otherwise the engine could not be told, or the lease was gone.
    void report_refusal(Lease& lease, const EngineError& error, TaskReport& report);
    template <class Call>
    auto repeat_while_leased(const Lease& lease, const Call& call) -> decltype(call());

    bool idle() const { return !claiming_ && leases_.empty(); }

    Client& client_;
    const WorkerOptions options_;
    const TaskHandler handler_;
    const Clock::duration renew_interval_;

    mutable std::mutex mutex_;  // guards everything below but threads_, and the mutable parts of each Lease
    std::condition_variable task_ready_;
    std::condition_variable state_changed_;  // a slot is free, draining, cancelled, idle
    std::condition_variable renewals_changed_;
    std::set<LeasePtr> leases_;
    std::deque<LeasePtr> ready_;
    std::size_t renewals_in_flight_ = 0;
    int handling_ = 0;
    std::uint64_t tasks_left_;
    std::optional<bool> has_namespace_;  // whether the registry takes its namespace; nothing: it has not said yet
    bool claiming_ = true;
    bool draining_ = false;
    bool cancelled_ = false;
    WorkerMode mode_ = WorkerMode::run;
    std::uint64_t claims_answered_ = 0;
    Clock::time_point next_claim_at_;
    std::optional<EngineError> claim_error_;

    std::vector<std::jthread> threads_;
};

}  // namespace flowfabric::sdk
