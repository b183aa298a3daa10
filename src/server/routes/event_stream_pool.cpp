#include "server/routes/event_stream_pool.hpp"

#include <chrono>
#include <utility>

#include "runtime/threads/guard.hpp"
#include "server/auth/refusals.hpp"
#include "server/routes/operation_call.hpp"

namespace flowfabric::server {
namespace {

constexpr std::size_t stream_threads = 4;
constexpr std::chrono::seconds between_looks{5};

}  // namespace

EventStreamPool::EventStreamPool(Engine& engine, std::shared_ptr<Access> access)
    : engine_(engine),
      access_(std::move(access)),
      pool_(stream_threads),
      looking_([this](const std::stop_token& stop) { look(stop); }) {}

void EventStreamPool::for_caller(const Request& request, const api::Route& route, boost::json::object asked,
                                 const Responder& responder, std::function<void(boost::json::object)> then) {
    if (!request.caller || request.caller->namespaces.empty()) return then(std::move(asked));
    access_->namespaces().hold(request.caller, route, std::move(asked),
                               [responder, then = std::move(then)](api::OrProblem<boost::json::object> held) {
                                   if (!held) return responder.respond(response_of(held.error()));
                                   then(*std::move(held));
                               });
}

void EventStreamPool::open(OpenSource open_source, std::optional<DurableConsumer> consumer, const Request& request,
                           const Responder& responder) {
    // The stream outlives the tokens that were accepted when it began, and needs no other of them.
    const auto caller = request.caller ? std::make_shared<const Caller>(*request.caller) : nullptr;
    pool_.post([this, open_source = std::move(open_source), consumer = std::move(consumer), gone = request.gone,
                draining = request.ending, responder, caller]() mutable {
        if (gone.stop_requested()) return;
        auto source = open_source();
        // A cursor that is too old is refused with the oldest one that still works.
        if (!source) return responder.respond(response_of(api::problem_of(source.error())));
        const EventStream::Setting setting{
            .client = engine_, .pool = pool_, .draining = draining, .accepted = [access = access_, caller] {
                return access->accepts(caller.get());
            }};
        const auto stream = std::make_shared<EventStream>(setting, *std::move(source), std::move(consumer), gone);
        stream->open(responder);
        const std::scoped_lock lock(mutex_);
        streams_.push_back(stream);
    });
}

void EventStreamPool::look(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stopping_.wait_for(lock, stop, between_looks, [&] { return stop.stop_requested(); })) {
        contain("a look at silent event streams broke", [&] {
            std::erase_if(streams_, [](const auto& known) {
                const auto stream = known.lock();
                return !stream || !stream->look();
            });
        });
    }
}

}  // namespace flowfabric::server
