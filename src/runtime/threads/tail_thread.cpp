#include "runtime/threads/tail_thread.hpp"

#include <algorithm>

#include "core/events/consumer.hpp"
#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "runtime/threads/pacing.hpp"
#include "store/fault.hpp"

namespace flowfabric {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t page = 1000;
constexpr int pages_in_a_row = 4;  // before other channels get their turn
// While events keep coming. A round costs the same few queries however many events it finds.
constexpr milliseconds busy_interval{10};
constexpr milliseconds settle_patience{30'000};
// An engine's writer commits within milliseconds; a user's own transaction may stay open for long.
constexpr milliseconds first_undecided_pause{1};
constexpr milliseconds longest_undecided_pause{50};

}  // namespace

void TailThread::WakeSignal::raise(Urgency urgency) {
    const std::lock_guard lock(mutex);
    const bool known = std::exchange(raised, true);
    const bool hurries = urgency == Urgency::at_once && !std::exchange(urgent, true);
    if (known && !hurries) return;
    changed.notify_all();
    if (source) source->interrupt();
}

TailThread::TailThread(std::shared_ptr<Backend> backend, StoreHealth& health)
    : backend_(std::move(backend)), health_(health), undecided_pause_(first_undecided_pause) {}

TailThread::~TailThread() {
    stopping_ = true;
    wake_signal_->raise(Urgency::at_once);
    if (thread_.joinable()) thread_.join();
    const EngineError stopping{.kind = ErrorKind::unavailable, .detail = "the engine is stopping"};
    for (const auto& request : requests_) request->settled.set_value(stopping);
    for (ChannelState& one : states_) {
        for (const auto& follower : one.tail.followers()) static_cast<Mailbox&>(*follower->sink).end(stopping);
    }
}

Result<std::unique_ptr<Subscription>> TailThread::subscribe(Channel channel, EventFilter filter,
                                                            std::variant<Beginning, std::int64_t> from,
                                                            std::size_t buffer) {
    auto mailbox = std::make_shared<Mailbox>(std::max<std::size_t>(buffer, 1),
                                             [wake_signal = wake_signal_] { wake_signal->raise(Urgency::at_once); });
    auto subscription = std::make_unique<MailboxSubscription>(mailbox);
    auto request = std::make_unique<Request>(Request{
        .channel = channel, .filter = std::move(filter), .from = from, .mailbox = std::move(mailbox), .settled = {}});
    auto settled = request->settled.get_future();
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
        following_ = true;
        if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    }
    wake_signal_->raise(Urgency::at_once);
    if (settled.wait_for(settle_patience) != std::future_status::ready) {
        return EngineError{.kind = ErrorKind::timeout,
                           .detail =
                               "subscribe: the store does not answer, or a transaction that may still commit older "
                               "events does not end"};
    }
    if (auto begun = settled.get(); !begun) return begun.error();
    return std::unique_ptr<Subscription>(std::move(subscription));
}

void TailThread::on_commit() {
    if (following_) wake_signal_->raise(Urgency::soon);
}

void TailThread::run() {
    while (!stopping_) {
        if (idle()) {
            disconnect();
            pause(poll_interval);
            continue;
        }
        auto error = follow();
        if (!error) continue;
        contain("an outage was not told to every subscription", [&] { tell_of_outage(*error); });
        disconnect();
        pause(reconnect_pause);
    }
}

// One round of the loop.
std::optional<StoreError> TailThread::follow() {
    try {
        auto error = connect();
        if (!error) error = work();
        if (!error) error = wait();
        return error;
    } catch (...) {
        return StoreError{StoreFault::data, "it broke unexpectedly: " + thrown_text(), {}};
    }
}

bool TailThread::idle() {
    for (ChannelState& one : states_) one.tail.drop_closed();
    const std::lock_guard lock(mutex_);
    std::erase_if(requests_, [](const auto& request) { return request->mailbox->closed(); });
    const bool unused =
        requests_.empty() && std::ranges::all_of(states_, [](const ChannelState& one) { return one.tail.empty(); });
    following_ = !unused;
    return unused;
}

std::optional<StoreError> TailThread::connect() {
    if (!reader_) {
        auto opened = backend_->open_reader();
        if (!opened) return opened.error();
        reader_ = std::move(*opened);
    }
    if (!source_) {
        auto opened = backend_->open_wake_source(WakeTopic::events);
        if (!opened) return opened.error();
        const std::lock_guard lock(wake_signal_->mutex);
        source_ = std::move(*opened);
        wake_signal_->source = source_;
    }
    return std::nullopt;
}

void TailThread::disconnect() {
    reader_.reset();
    for (ChannelState& one : states_) one.tail.on_disconnected();
    const std::lock_guard lock(wake_signal_->mutex);
    source_.reset();
    wake_signal_->source.reset();
}

// Each follower is told of an outage once.
void TailThread::tell_of_outage(const StoreError& error) {
    if (std::exchange(told_of_outage_, true)) return;
    if (!health_.on_fault(error)) {
        log_warning("subscriptions were interrupted and go on when they can: " + error.detail);
    }
    for (ChannelState& one : states_) {
        for (const auto& follower : one.tail.followers()) {
            static_cast<Mailbox&>(*follower->sink).disconnected({cursor_at(follower->last_seen), error.detail});
        }
    }
}

std::optional<StoreError> TailThread::work() {
    round_began_ = std::chrono::steady_clock::now();
    std::array<bool, channels.size()> asked{};
    {
        const std::lock_guard lock(mutex_);
        for (const auto& request : requests_) asked[static_cast<std::size_t>(request->channel)] = true;
    }
    std::vector<Channel> followed;
    for (const Channel channel : channels) {
        const bool is_asked = asked[static_cast<std::size_t>(channel)];
        if (is_asked || !state(channel).tail.empty()) followed.push_back(channel);
        if (!is_asked) continue;
        if (auto error = find_trimmed(channel)) return error;
    }
    if (auto error = poll(followed)) return error;
    admit_requests();
    for (const Channel channel : channels) {
        if (auto error = read(channel)) return error;
    }
    if (std::exchange(told_of_outage_, false)) health_.on_read();
    return std::nullopt;
}

std::optional<StoreError> TailThread::poll(const std::vector<Channel>& followed) {
    const auto watermarks = reader_->watermarks(followed);
    if (!watermarks) return watermarks.error();
    for (std::size_t i = 0; i < followed.size(); ++i) {
        const auto& [decided, drawn] = (*watermarks)[i];
        ChannelState& one = state(followed[i]);
        if (decided && decided != one.decided) undecided_pause_ = first_undecided_pause;
        one.decided = decided;
        one.undecided = !decided || *decided < drawn;
        if (decided) one.tail.on_decided(*decided);
    }
    return std::nullopt;
}

std::optional<StoreError> TailThread::find_trimmed(Channel channel) {
    const auto nothing = reader_->tail(channel, 0, 0, 1);
    if (!nothing) return nothing.error();
    state(channel).trimmed = nothing->trimmed;
    return std::nullopt;
}

// A subscription from now begins at what is decided, so it has to be known; one from a cursor has its beginning.
std::optional<std::int64_t> TailThread::place_of(const Request& request) {
    if (const auto* event_id = std::get_if<std::int64_t>(&request.from)) return *event_id;
    const ChannelState& one = state(request.channel);
    return std::get<Beginning>(request.from) == Beginning::oldest ? one.trimmed : one.decided;
}

void TailThread::admit_requests() {
    const std::lock_guard lock(mutex_);
    std::erase_if(requests_, [&](const std::unique_ptr<Request>& request) {
        ChannelState& one = state(request->channel);
        const auto from = place_of(*request);
        if (!from) return false;
        if (*from < one.trimmed) {
            request->settled.set_value(cursor_expired(*from, one.trimmed));
            return true;
        }
        one.tail.follow(request->mailbox, std::move(request->filter), *from);
        request->settled.set_value({});
        return true;
    });
}

std::optional<StoreError> TailThread::read(Channel channel) {
    ChannelState& one = state(channel);
    one.unread = false;
    for (int i = 0; i < pages_in_a_row; ++i) {
        const auto wanted = one.tail.wanted();
        if (!wanted) return std::nullopt;
        auto read = reader_->tail(channel, wanted->after, wanted->up_to, page);
        if (!read) return read.error();
        if (!read->events.empty()) last_read_ = std::chrono::steady_clock::now();
        const bool complete = read->events.size() < page;
        one.tail.on_events(*wanted, std::move(*read), complete);
    }
    one.unread = true;
    return std::nullopt;
}

std::optional<StoreError> TailThread::wait() {
    milliseconds timeout = poll_interval;
    if (std::ranges::any_of(states_, &ChannelState::undecided)) {
        timeout = undecided_pause_;
        undecided_pause_ = std::min(undecided_pause_ * 2, longest_undecided_pause);
    }
    if (std::ranges::any_of(states_, &ChannelState::unread)) {
        timeout = milliseconds(0);
    } else {
        keep_pace();
    }
    {
        const std::lock_guard lock(wake_signal_->mutex);
        if (std::exchange(wake_signal_->raised, false)) timeout = milliseconds(0);
    }
    const auto woken = source_->wait(timeout);
    if (!woken) return woken.error();
    const std::lock_guard lock(wake_signal_->mutex);
    wake_signal_->raised = false;
    wake_signal_->urgent = false;
    return std::nullopt;
}

// The first event after a rest is read at once, those that follow it closely are read together.
void TailThread::keep_pace() {
    if (std::chrono::steady_clock::now() - last_read_ > 4 * busy_interval) return;
    std::unique_lock lock(wake_signal_->mutex);
    wake_signal_->changed.wait_until(lock, round_began_ + busy_interval, [&] { return wake_signal_->urgent; });
}

void TailThread::pause(milliseconds at_most) {
    std::unique_lock lock(wake_signal_->mutex);
    wake_signal_->changed.wait_for(lock, at_most, [&] { return wake_signal_->raised || stopping_; });
    wake_signal_->raised = false;
    wake_signal_->urgent = false;
}

}  // namespace flowfabric
