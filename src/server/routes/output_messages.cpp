#include "server/routes/output_messages.hpp"

#include <utility>

#include "api/streams/frame_form.hpp"

namespace flowfabric::server {
namespace {

namespace json = boost::json;
using Step = api::OutputWalk::Step;

std::string message_of(const api::OutputItem& item) {
    json::object data{{"attempt_index", item.attempt_index}};
    for (auto& [name, value] : item.frame ? api::frame_in_texts(*item.frame) : api::end_in_texts(item.end)) {
        data[name] = std::move(value);
    }
    return sse_message(item.frame ? "frame" : "closed", item.behind.cursor(), data);
}

}  // namespace

void OutputMessages::Bell::ring() {
    std::function<void()> now;
    {
        const std::scoped_lock lock(mutex);
        now = ready;
    }
    if (now) now();
}

OutputMessages::OutputMessages(Client& client, const ExecutionId& id, const api::OutputWalk::Options& options,
                               const TellOfEnd& tell)
    : client_(client), id_(id), walk_(id, options) {
    tell([weak = std::weak_ptr(bell_)] {
        const auto bell = weak.lock();
        if (!bell) return false;
        {
            const std::scoped_lock lock(bell->mutex);
            bell->may_have_ended = true;
        }
        bell->ring();
        return true;
    });
}

OutputMessages::~OutputMessages() {
    std::function<void()> last;
    const std::scoped_lock lock(bell_->mutex);
    last.swap(bell_->ready);
}

Result<std::optional<std::string>> OutputMessages::next() {
    while (items_.empty()) {
        const auto moved = advance();
        if (!moved) return moved.error();
        if (!*moved) return std::optional<std::string>();
    }
    place_ = items_.front().behind;
    std::string message = message_of(items_.front());
    items_.pop_front();
    return std::optional(std::move(message));
}

void OutputMessages::notify(std::function<void()> ready) {
    {
        const std::scoped_lock lock(bell_->mutex);
        bell_->ready = std::move(ready);
    }
    bell_->ring();
}

// False: there is nothing to do before the bell rings.
Result<bool> OutputMessages::advance() {
    {
        const std::scoped_lock lock(bell_->mutex);
        if (std::exchange(bell_->may_have_ended, false)) {
            walk_.look_again();
            waiting_ = false;
            ++bell_->turn;
            bell_->answer.reset();
        }
    }
    switch (walk_.step()) {
        case Step::look:
            return look();
        case Step::tail:
            return tail();
        case Step::done:
            break;
    }
    return false;
}

Result<bool> OutputMessages::look() {
    const auto execution = client_.describe_execution(id_);
    if (!execution) return execution.error();
    if (!*execution) {
        return EngineError{
            .kind = ErrorKind::execution_not_found, .detail = id_.to_string(), .not_active = std::nullopt};
    }
    walk_.learn(**execution);
    return true;
}

Result<bool> OutputMessages::tail() {
    const TailStream next = walk_.tail();
    if (next.block_ms == 0) return take(client_.tail_stream(next));
    if (!std::exchange(waiting_, true)) wait_for(next);
    std::optional<Result<StreamPage>> answer;
    {
        const std::scoped_lock lock(bell_->mutex);
        answer = std::exchange(bell_->answer, std::nullopt);
    }
    if (!answer) return false;
    waiting_ = false;
    return take(*std::move(answer));
}

void OutputMessages::wait_for(const TailStream& next) {
    std::uint64_t turn = 0;
    {
        const std::scoped_lock lock(bell_->mutex);
        turn = ++bell_->turn;
    }
    client_.submit(next, [bell = bell_, turn](Result<StreamPage> page) {
        {
            const std::scoped_lock lock(bell->mutex);
            if (bell->turn != turn) return;
            bell->answer = std::move(page);
        }
        bell->ring();
    });
}

Result<bool> OutputMessages::take(Result<StreamPage> page) {
    if (!page) return page.error();
    for (api::OutputItem& item : walk_.take(*std::move(page))) items_.push_back(std::move(item));
    return true;
}

}  // namespace flowfabric::server
