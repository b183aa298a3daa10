#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flowfabric/client.hpp"
#include "flowfabric/health.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/observer.hpp"
#include "flowfabric/operations.hpp"
#include "flowfabric/subscription.hpp"
#include "flowfabric/webhook.hpp"

namespace flowfabric {

// Runs a completion, for example on a thread pool, an event loop or a strand. The engine never waits for it. If the
// executor throws, a thread of the engine runs the completion, unless it has run already.
using Executor = std::function<void(std::function<void()>)>;

// How often a reconciler looks for work although nothing is known to be due, and how many rows it takes at once.
struct ReconcilerSettings {
    std::chrono::milliseconds interval;  // 0: it does not run
    std::uint32_t batch = 1000;
};

// Limits the reconcilers of this engine to some executions; other engines serve the rest.
struct ReconcilerFilter {
    std::optional<std::string> namespace_name;
    std::optional<std::pair<std::string, std::string>> tag;  // any tag of the execution, and its value
};

struct EngineOptions {
    // `sqlite:PATH`, `postgres://…` or `memory:`.
    std::string store = "sqlite:flowfabric.db";
    bool migrate = true;  // bring the schema up to date at open; otherwise an older one is refused
    // Reconcilers end leases, delays and time limits, remove old executions and events, and empty the inbox of
    // ff_create_execution. Any number of engines may run them on one store. An engine that does also generates a
    // signing key if the store has none.
    bool run_reconcilers = true;
    std::map<std::string, ReconcilerSettings> reconcilers;  // by name, where they differ from docs/operations.md
    ReconcilerFilter reconciler_filter;
    std::size_t max_payload_bytes = default_max_payload_bytes;
    // Limits on commands that are not answered yet; a command beyond either is refused with `resource_exhausted`.
    std::size_t max_queued_commands = 100'000;
    std::size_t max_queued_bytes = 268'435'456;
    std::chrono::milliseconds command_deadline{30'000};
    // 64 hex digits. Encrypts the secrets of signing keys, so that a copy of the database does not reveal them. Absent:
    // secrets are stored in plain, and refused if the store holds encrypted ones.
    std::optional<std::string> master_key_hex;
    std::shared_ptr<EngineObserver> observer;  // for metrics; nothing is paid without one
    Executor executor;                         // runs completions; absent: one thread of the engine
    // For tests: each overrides the store's setting of the same name, for this engine only.
    std::optional<std::chrono::milliseconds> execution_retention;
    std::optional<std::chrono::milliseconds> event_retention;
    std::optional<RetryPolicy> default_retry_policy;
    std::optional<bool> emit_renewed_events;
    std::optional<std::string> instance_tag_key;
};

// Connections for reads.
struct ReaderUse {
    std::size_t in_use = 0;
    std::size_t waiting = 0;  // calls that want one
};

// One open store with everything that drives it.
//
// Life cycle: `open` connects, migrates and starts the threads. The destructor answers queued commands with
// `unavailable`, lets running batches finish and joins. A store that hangs delays it by two seconds at most; a command
// that had reached COMMIT by then is answered with `unknown_outcome`.
// Threads: any thread may call any member. Completions run on the executor, except those of submit_past_executor().
// Every call ends by its deadline.
class Engine final : public Client {
  public:
    static Result<std::unique_ptr<Engine>> open(EngineOptions options);
    ~Engine() override;

    // Returns at once. After the grace, every call that waits for the store fails, and so does every later call. For a
    // program that must end although some of its threads still wait.
    void end_within(std::chrono::milliseconds grace);

    // ---- this engine itself -------------------------------------------------------------------------------------

    // Succeeds if the store answers a read in time; the result is never a remembered one.
    Result<void> check_store(std::chrono::milliseconds within);

    std::vector<ReconcilerView> list_reconcilers();
    ReaderUse reader_use();
    // How many calls of tail_stream wait for a frame.
    std::size_t waiting_tails();

    // The tokens of callers that the store accepts at this moment.
    Result<AcceptedTokens> accepted_tokens();
    // Writes what an operator asked for and what came of it to the channel `audit`, at the store's time; its id and
    // time are not the caller's. `done` runs on the executor.
    void record_audit(AuditEvent event, std::function<void(Result<void>)> done);

    // The webhooks that a server may send for now, as their owner or because nobody does, and its turns at one of them:
    // the first, those that follow its reports, and the last. No work: it is, or has become, another's, or it is no
    // longer active.
    Result<std::vector<OpenWebhook>> open_webhooks(const std::string& owner);
    Result<std::optional<WebhookWork>> take_webhook(const OpenWebhook& webhook, const std::string& owner);
    Result<std::optional<WebhookWork>> report_webhook(const OpenWebhook& webhook, const std::string& owner,
                                                      WebhookReport report);
    Result<void> release_webhook(const OpenWebhook& webhook, const std::string& owner);
    // Some of the events that are to be sent once more.
    Result<std::vector<WebhookFailure>> webhook_redeliveries(const OpenWebhook& webhook);

    // Follows a channel from the cursor on, or from now (subscription.hpp). Fails for a malformed cursor, and with
    // `cursor_expired` if the events after the cursor are removed.
    Result<std::unique_ptr<Subscription>> subscribe(Channel channel, const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_completion(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_lease_history(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_signal_delivery(const SubscribeOptions& options = {});
    Result<std::unique_ptr<Subscription>> subscribe_operator(const SubscribeOptions& options = {});
    // Follows one execution on all channels, from a cursor of such a subscription, from its oldest event that is kept,
    // or from now; ends by itself when the execution has ended and all its events are told. On a channel events come in
    // their order, between channels by time, and what led to the end before the completion. next() may read the store.
    // Fails with `cursor_expired` if too much has happened on the store since to look through (docs/events.md).
    Result<std::unique_ptr<Subscription>> subscribe_execution(const ExecutionId& id, Bytes cursor = {},
                                                              bool from_oldest = false);

    void submit_any(Commands command, Reply reply, AnswerOn where) override;
    Result<std::any> read_any(Queries query) override;

    class Impl;
    explicit Engine(std::unique_ptr<Impl> impl);

  private:
    std::unique_ptr<Impl> impl_;
};

// Migrates the store at the URL `store` and returns the names of the migrations that were applied.
Result<std::vector<std::string>> migrate(const std::string& store);

// Checks the versions, the schema and the settings that endanger data of the store at the URL `store`. Changes nothing.
Result<std::vector<Finding>> examine(const std::string& store);

}  // namespace flowfabric
