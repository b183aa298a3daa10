#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "runtime/hub/batch_run.hpp"
#include "runtime/hub/command_hub.hpp"
#include "store/port.hpp"

namespace flowfabric {

// One connection that carries batches. Created by the engine after the hub; its thread runs until the hub stops, which
// also ends the batch it carries; the destructor joins. The connection is opened when first needed and again after a
// fault, with growing pauses.
class WriterThread {
  public:
    WriterThread(CommandHub& hub, std::shared_ptr<Backend> backend, WriterRole role)
        : hub_(hub), backend_(std::move(backend)), role_(role), thread_([this] { run(); }) {}
    ~WriterThread() { thread_.join(); }
    WriterThread(const WriterThread&) = delete;
    WriterThread& operator=(const WriterThread&) = delete;

  private:
    void run();
    void carry_next();
    void carry(Batch batch);
    bool open_writer(StoreError& error);
    void send_held_notifications();
    InboxLookup inbox_lookup();
    StoreResult<std::vector<Submission>> look_into_inbox(const std::vector<ExecutionId>& ids);

    CommandHub& hub_;
    std::shared_ptr<Backend> backend_;
    const WriterRole role_;
    std::unique_ptr<StoreWriter> writer_;
    std::unique_ptr<StoreReader> inbox_reader_;  // opened by the first command about an unknown execution
    unsigned failed_opens_ = 0;
    std::thread thread_;
};

}  // namespace flowfabric
