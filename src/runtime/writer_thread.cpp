#include "runtime/writer_thread.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/batch_run.hpp"
#include "runtime/log.hpp"

namespace flowfabric {
namespace {

constexpr SteadyMs idle_wait_ms = 1000;

std::chrono::milliseconds reopen_pause(unsigned failures) {
    return std::chrono::milliseconds(std::min(10U << std::min(failures, 7U), 1000U));
}

}  // namespace

void WriterThread::run() {
    while (!hub_.stopped()) {
        SteadyMs wait = idle_wait_ms;
        if (writer_) {
            if (const auto due = writer_->notifications_due()) wait = std::max<SteadyMs>(due->count(), 1);
        }
        auto batch = hub_.wait_batch(role_, wait);
        if (batch) {
            carry(std::move(*batch));
        } else {
            send_held_notifications();
        }
    }
    send_held_notifications();
}

void WriterThread::send_held_notifications() {
    if (writer_ && writer_->notifications_due()) writer_->flush_notifications();
}

bool WriterThread::open_writer(StoreError& error) {
    if (writer_) return true;
    auto opened = backend_->open_writer();
    if (!opened) {
        error = opened.error();
        if (failed_opens_++ == 0) log_warning("store connection failed, retrying: " + error.detail);
        return false;
    }
    if (failed_opens_ > 0) log_info("store connection restored");
    failed_opens_ = 0;
    writer_ = std::move(*opened);
    return true;
}

void WriterThread::carry(Batch batch) {
    BatchRun run(hub_, std::move(batch));
    while (!run.done()) {
        StoreError error;
        if (!open_writer(error)) {
            run.no_writer(error);
            if (run.done()) return;
            if (hub_.stopped()) return run.give_up();
            std::this_thread::sleep_for(reopen_pause(failed_opens_));
            continue;
        }
        run.step(*writer_);
        if (run.writer_lost()) writer_.reset();
    }
}

}  // namespace flowfabric
