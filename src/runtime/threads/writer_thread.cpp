#include "runtime/threads/writer_thread.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/hub/batch_run.hpp"
#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs idle_wait_ms = 1000;
constexpr std::string_view stopped_too_soon = "the engine stopped before it could learn whether it was committed";

std::chrono::milliseconds reopen_pause(unsigned failures) {
    return std::chrono::milliseconds(std::min(10U << std::min(failures, 7U), 1000U));
}

}  // namespace

void WriterThread::run() {
    while (!hub_.stopped()) {
        if (contain("a writer broke and goes on with a new connection", [&] { carry_next(); })) continue;
        writer_.reset();
        hub_.pause(reopen_pause(0));
    }
    contain("held notifications were lost", [&] { send_held_notifications(); });
}

void WriterThread::carry_next() {
    SteadyMs wait = idle_wait_ms;
    if (writer_) {
        if (const auto due = writer_->notifications_due()) wait = std::max<SteadyMs>(due->count(), 1);
    }
    if (auto batch = hub_.wait_batch(role_, wait)) return carry(std::move(*batch));
    send_held_notifications();
}

void WriterThread::send_held_notifications() {
    if (writer_ && writer_->notifications_due()) writer_->flush_notifications();
}

bool WriterThread::open_writer(StoreError& error) {
    if (writer_) return true;
    auto opened = [&]() -> StoreResult<std::unique_ptr<StoreWriter>> {
        try {
            return backend_->open_writer();
        } catch (...) {
            return StoreError{StoreFault::connection, thrown_text(), {}};
        }
    }();
    if (!opened) {
        error = opened.error();
        ++failed_opens_;
        hub_.health().on_fault(error);
        return false;
    }
    failed_opens_ = 0;
    hub_.health().on_read();
    writer_ = std::move(*opened);
    return true;
}

InboxLookup WriterThread::inbox_lookup() {
    if (!backend_->traits().inbox) return {};
    return [this](const std::vector<ExecutionId>& ids) { return look_into_inbox(ids); };
}

StoreResult<std::vector<Submission>> WriterThread::look_into_inbox(const std::vector<ExecutionId>& ids) {
    if (!inbox_reader_) {
        auto opened = backend_->open_reader();
        if (!opened) return opened.error();
        inbox_reader_ = std::move(*opened);
    }
    auto found = inbox_reader_->submissions_of(ids);
    if (!found) inbox_reader_.reset();
    return found;
}

void WriterThread::carry(Batch batch) {
    BatchRun run(hub_, std::move(batch), inbox_lookup());
    while (!run.done()) {
        StoreError error;
        if (!open_writer(error)) {
            run.no_writer(error);
            if (run.done()) return;
            if (hub_.stopped()) return run.give_up(stopped_too_soon);
            hub_.pause(reopen_pause(failed_opens_));
            continue;
        }
        run.step(*writer_);
        if (!run.writer_lost()) continue;
        writer_.reset();
        if (!run.outcome_pending()) continue;
        if (hub_.stopped()) return run.give_up(stopped_too_soon);
        hub_.pause(reopen_pause(0));
    }
}

}  // namespace flowfabric
