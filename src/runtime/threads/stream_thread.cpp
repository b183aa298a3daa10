#include "runtime/threads/stream_thread.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/names.hpp"
#include "engine/queries/stream_page.hpp"
#include "runtime/hub/command_hub.hpp"
#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "runtime/threads/pacing.hpp"

namespace flowfabric {
namespace {

using std::chrono::milliseconds;

// Whoever follows a stream comes again after each answer: the wake source stays for so long.
constexpr milliseconds linger{5000};
// The part of the thread's time that looks at every stream may take.
constexpr SteadyMs rest_between_looks_at_all = 10;

EngineError stopping() {
    return {.kind = ErrorKind::unavailable, .detail = "the engine is stopping"};
}

FrameRange range_of(const StreamKey& stream, const FrameId& after, std::uint32_t limit, FrameVisibility visibility) {
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    const bool at_end = after.seq == last;
    const FrameId from =
        at_end ? FrameId{after.ts_ms == last ? last : after.ts_ms + 1, 0} : FrameId{after.ts_ms, after.seq + 1};
    return {.stream = stream, .from = from, .to = {last, last}, .visibility = visibility, .limit = limit};
}

}  // namespace

StreamThread::StreamThread(std::shared_ptr<Backend> backend, std::shared_ptr<ReaderPool> readers)
    : backend_(std::move(backend)), readers_(std::move(readers)) {}

void StreamThread::add(const TailStream& command, Answerer answer) {
    {
        const std::lock_guard lock(mutex_);
        if (!stopping_) {
            const TailId id =
                tails_.add({.stream = {command.execution_id, static_cast<std::int32_t>(command.attempt_index)},
                            .after = command.after,
                            .limit = command.limit,
                            .visibility = command.visibility,
                            .deadline = steady_now() + static_cast<SteadyMs>(command.block_ms),
                            .seen = std::nullopt});
            answerers_.emplace(id, std::move(answer));
            parked_ = tails_.size();
            raise();
            if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
            return;
        }
    }
    contain("an answer was lost", [&] { answer(stopping()); });
}

void StreamThread::on_commit(const WorkingSet& set) {
    if (parked_ == 0) return;
    const std::lock_guard lock(mutex_);
    bool due = false;
    set.side.of<StreamMetaRow>().each_put(
        [&](const StreamMetaRow& meta, bool) { due = tails_.on_commit(meta) || due; });
    if (due) raise();
}

// With the mutex held.
void StreamThread::raise() {
    if (std::exchange(raised_, true)) return;
    changed_.notify_all();
    if (source_) source_->interrupt();
}

void StreamThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        raised_ = false;
        raise();
    }
    if (thread_.joinable()) thread_.join();
    for (const auto& [id, answer] : std::exchange(answerers_, {})) {
        contain("an answer was lost", [&] { answer(stopping()); });
    }
    parked_ = 0;
}

void StreamThread::run() {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) return;
            raised_ = false;
        }
        if (contain("a look at streams broke, and is repeated", [&] { round(); })) continue;
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, reconnect_pause, [&] { return stopping_; });
        tails_.on_anything();
    }
}

void StreamThread::round() {
    const SteadyMs began = steady_now();
    Looks looks;
    const bool at_all = began >= next_poll_ || (look_at_all_ && began >= next_look_at_all_);
    {
        const std::lock_guard lock(mutex_);
        if (at_all) tails_.on_anything();
        looks = tails_.take_due();
    }
    if (!looks.empty()) look(looks);
    const SteadyMs now = steady_now();
    if (at_all) {
        look_at_all_ = false;
        next_poll_ = now + poll_interval.count();
        next_look_at_all_ = now + rest_between_looks_at_all * std::max<SteadyMs>(now - began, 1);
    }
    answer_expired();
    wait();
}

// A stream whose row is damaged fails those who follow it, and nobody else.
void StreamThread::look(const Looks& looks) {
    const auto looked = look_together(looks);
    if (looked) return;
    if (looks.size() == 1 || looked.error().kind != ErrorKind::corruption) {
        for (const auto& [id, tail] : looks) answer(id, looked.error());
        return;
    }
    for (const auto& one : looks) look({one});
}

Result<void> StreamThread::look_together(const Looks& looks) {
    SideRowsWanted wanted;
    auto& keys = wanted.of<StreamMetaRow>().keys;
    for (const auto& [id, tail] : looks) keys.push_back(tail.stream);
    sort(wanted);
    const auto rows = readers_->run([&](StoreReader& reader) { return reader.side_rows(wanted); });
    if (!rows) return rows.error();

    std::map<Sought, std::vector<TailId>> sought;
    std::map<TailId, std::optional<StreamMetaRow>> metas;
    for (const auto& [id, tail] : looks) {
        const StreamMetaRow* found = rows->of<StreamMetaRow>().find(tail.stream);
        const auto meta = found == nullptr ? std::nullopt : std::optional(*found);
        metas.emplace(id, meta);
        if (meta && has_news(tail, *meta)) {
            sought[{tail.stream, tail.after, tail.limit, tail.visibility}].push_back(id);
        }
    }
    std::set<TailId> answered;
    for (const auto& [what, ids] : sought) {
        const auto& meta = metas.at(ids.front());
        const auto page = read(what, meta);
        const bool tells = !page || !page->frames.empty() || page->closed_at_ms;
        if (!tells) continue;
        for (const TailId id : ids) {
            answer(id, page);
            answered.insert(id);
        }
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [id, meta] : metas) {
        if (!answered.contains(id)) tails_.looked(id, meta);
    }
    return {};
}

Result<StreamPage> StreamThread::read(const Sought& sought, const std::optional<StreamMetaRow>& meta) {
    auto page = readers_->run([&](StoreReader& reader) {
        return read_stream_page(reader, meta, range_of(sought.stream, sought.after, sought.limit, sought.visibility));
    });
    if (page) page->next.reset();  // whoever goes on does so behind the last frame
    return page;
}

void StreamThread::answer(TailId id, const Result<StreamPage>& page) {
    Answerer give;
    {
        const std::lock_guard lock(mutex_);
        auto found = answerers_.extract(id);
        if (found.empty()) return;
        give = std::move(found.mapped());
        tails_.remove(id);
        parked_ = tails_.size();
    }
    contain("an answer was lost", [&] { give(page); });
}

void StreamThread::answer_expired() {
    std::vector<Answerer> expired;
    {
        const std::lock_guard lock(mutex_);
        for (const TailId id : tails_.take_expired(steady_now())) {
            expired.push_back(std::move(answerers_.extract(id).mapped()));
        }
        parked_ = tails_.size();
    }
    for (const Answerer& give : expired) {
        contain("an answer was lost", [&] { give(StreamPage{}); });
    }
}

void StreamThread::wait() {
    std::unique_lock lock(mutex_);
    if (stopping_ || raised_ || tails_.any_due()) return;
    if (tails_.empty()) {
        changed_.wait_for(lock, linger, [&] { return raised_; });
        if (raised_) return;
        source_.reset();
        changed_.wait(lock, [&] { return raised_; });
        return;
    }
    if (!source_ && steady_now() >= next_connect_) {
        lock.unlock();
        return connect();
    }
    SteadyMs until = std::min(next_poll_, tails_.next_deadline().value_or(next_poll_));
    if (look_at_all_) until = std::min(until, next_look_at_all_);
    const milliseconds timeout(std::max<SteadyMs>(until - steady_now(), 0));
    if (!source_) {
        changed_.wait_for(lock, timeout, [&] { return raised_; });
        return;
    }
    lock.unlock();
    listen(timeout);
}

// What was committed before it listens is found by a look at all.
void StreamThread::connect() {
    auto opened = backend_->open_wake_source(WakeTopic::streams);
    if (!opened) {
        next_connect_ = steady_now() + poll_interval.count();
        return;
    }
    const std::lock_guard lock(mutex_);
    source_ = std::move(*opened);
    tails_.on_anything();
}

void StreamThread::listen(milliseconds timeout) {
    const auto woken = source_->wait(timeout);
    const std::lock_guard lock(mutex_);
    if (!woken) {
        source_.reset();
        next_connect_ = steady_now() + poll_interval.count();
        return;
    }
    if (!*woken) return;
    const auto told = source_->told();
    const auto says_nothing = [](const std::string& payload) { return payload.empty(); };
    look_at_all_ = look_at_all_ || told.empty() || std::ranges::any_of(told, says_nothing);
    for (const std::string& payload : told) {
        for (const std::string& name : split(payload, ',')) tails_.on_touched(name);
    }
}

}  // namespace flowfabric
