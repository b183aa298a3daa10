#include "remote/remote_client.hpp"

#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>

#include "remote/answer.hpp"
#include "remote/call_queue.hpp"
#include "remote/connection.hpp"
#include "remote/event_feed.hpp"
#include "remote/transport.hpp"
#include "runtime/threads/guard.hpp"

namespace flowfabric::remote {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

// Below what servers grant a connection without a request.
constexpr std::chrono::seconds idle_limit{10};

}  // namespace

// Members behind the mutex belong to the thread that does the I/O.
class RemoteClient::Impl {
  public:
    Impl(Transport transport, std::size_t max_connections)
        : transport_(std::move(transport)), max_connections_(max_connections) {
        io_thread_ = std::thread([this] { run(io_); });
        executor_thread_ = std::thread([this] { run(executor_); });
    }

    void submit(Call call) {
        {
            const std::scoped_lock lock(mutex_);
            if (open_) {
                asio::post(io_, [this, call = std::make_shared<Call>(std::move(call))] {
                    queue_.put(std::move(*call));
                    wake_one();
                });
                return;
            }
        }
        reply(call, ended());
    }

    Result<std::shared_ptr<EventFeed>> follow(Channel channel, const SubscribeOptions& options) {
        auto feed = std::make_shared<EventFeed>(io_, transport_, channel, options);
        {
            const std::scoped_lock lock(mutex_);
            if (!open_) return ended();
            asio::post(io_, [this, feed] {
                feeds_.insert(feed);
                asio::co_spawn(io_, follow(feed), asio::detached);
            });
        }
        if (auto opened = feed->await_open(); !opened) return opened.error();
        return feed;
    }

    void leave(const std::shared_ptr<EventFeed>& feed) {
        asio::post(io_, [feed] { feed->close(); });
    }

    void end() {
        {
            const std::scoped_lock lock(mutex_);
            open_ = false;
        }
        asio::post(io_, [this] {
            ending_ = true;
            for (Connection* connection : connections_) connection->close();
            for (Idle* idle : idle_) idle->timer.cancel();
            for (const auto& feed : feeds_) feed->close();
            for (Call& call : queue_.take_all()) reply(call, ended());
        });
    }

    void end_within(milliseconds grace) {
        asio::post(io_, [this, grace] {
            grace_.expires_after(grace);
            grace_.async_wait([this](boost::system::error_code cancelled) {
                if (!cancelled) end();
            });
        });
    }

    void join() {
        end();
        asio::post(io_, [this] { grace_.cancel(); });
        io_work_.reset();
        io_thread_.join();
        executor_work_.reset();
        executor_thread_.join();
    }

  private:
    // A connection that waits for the next call.
    struct Idle {
        explicit Idle(asio::io_context& io) : timer(io, idle_limit) {}
        asio::steady_timer timer;
    };

    static void run(asio::io_context& context) {
        while (!contain("a call to the server broke", [&] { context.run(); })) {
        }
    }

    static EngineError ended() { return {.kind = ErrorKind::unavailable, .detail = "the client has ended"}; }

    void reply(Call& call, Result<std::any> answer) {
        if (call.where == AnswerOn::executor) {
            asio::post(executor_, [then = std::move(call.reply), answer = std::move(answer)]() mutable {
                then(std::move(answer));
            });
            return;
        }
        contain("a completion threw", [&] { call.reply(std::move(answer)); });
    }

    asio::awaitable<void> follow(std::shared_ptr<EventFeed> feed) {
        if (!ending_) co_await feed->follow();
        feed->close();
        feeds_.erase(feed);
    }

    void wake_one() {
        if (!idle_.empty()) {
            idle_.back()->timer.cancel();  // the one used last; those in front of it come to the end of their time
            idle_.pop_back();
        } else if (serving_ < max_connections_) {
            ++serving_;
            asio::co_spawn(io_, serve(), asio::detached);
        }
    }

    // The life of one connection.
    asio::awaitable<void> serve() {
        Connection connection(io_, transport_.url(), transport_.tls());
        connections_.insert(&connection);
        while (!ending_) {
            if (queue_.empty()) {
                if (!co_await wait_for_call()) break;
            } else {
                co_await serve_next(connection);
            }
        }
        connections_.erase(&connection);
        --serving_;
    }

    // False: none has come for long.
    asio::awaitable<bool> wait_for_call() {
        Idle idle(io_);
        idle_.push_back(&idle);
        boost::system::error_code woken;
        co_await idle.timer.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        std::erase(idle_, &idle);
        co_return bool(woken) || !queue_.empty();
    }

    asio::awaitable<void> serve_next(Connection& connection) {
        const bool kept = connection.is_idle();
        std::optional<EngineError> refused;
        if (!kept) refused = co_await transport_.open(connection);
        if (ending_) refused = ended();
        auto calls = queue_.take();  // none, if another connection has taken them meanwhile
        if (calls.empty()) co_return;
        Transport::Answer answered;
        if (!refused) answered = co_await exchange(connection, calls);
        // A server closes a connection that was kept, and that only shows when it is used.
        if (answered.may_repeat && kept && !ending_) {
            refused = co_await transport_.open(connection);
            if (!refused) answered = co_await exchange(connection, calls);
        }
        if (refused) answered.error = refused;
        if (!answered.keep) connection.close();
        give_answers(calls, answered);
        queue_.answered(calls);
    }

    asio::awaitable<Transport::Answer> exchange(Connection& connection, const std::vector<Call>& calls) {
        const api::OperationEntry& operation = *calls.front().operation;
        std::string target = "/v1/operations/" + std::string(operation.operation.name);
        std::string body = calls.front().request;
        if (calls.size() > 1) {
            target += ":batch";
            body = R"({"items":[)" + body;
            for (std::size_t i = 1; i < calls.size(); ++i) body.append(",").append(calls[i].request);
            body += "]}";
        }
        co_return co_await transport_.exchange(connection, std::move(target), std::move(body), calls.front().max_wait,
                                               operation.changes);
    }

    void give_answers(std::vector<Call>& calls, const Transport::Answer& answered) {
        const api::OperationEntry& operation = *calls.front().operation;
        if (answered.error) {
            for (Call& call : calls) reply(call, *answered.error);
            return;
        }
        if (calls.size() == 1) return reply(calls.front(), answer_in_text(operation, answered.status, answered.body));
        const auto items = items_in(answered, calls.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
            reply(calls[i], items ? item_answer(operation, items->at(i)) : Result<std::any>(items.error()));
        }
    }

    static Result<boost::json::array> items_in(const Transport::Answer& answered, std::size_t count) {
        auto document = document_in(answered.status, answered.body);
        if (!document) return document.error();
        if (answered.status >= 400) return error_in(answered.status, *document);
        auto* object = document->if_object();
        auto* items = object == nullptr ? nullptr : object->if_contains("items");
        if (items == nullptr || !items->is_array() || items->get_array().size() != count) {
            return EngineError{.kind = ErrorKind::transport, .detail = "the answer is not that of a batch"};
        }
        return std::move(items->get_array());
    }

    static Result<std::any> item_answer(const api::OperationEntry& operation, const boost::json::value& item) {
        const auto* object = item.if_object();
        const auto* answer = object == nullptr ? nullptr : object->if_contains("answer");
        if (answer != nullptr) return answer_in(operation, 200, *answer);
        const auto* problem = object == nullptr ? nullptr : object->if_contains("problem");
        return error_in(500, problem == nullptr ? boost::json::value() : *problem);
    }

    std::mutex mutex_;  // guards open_
    bool open_ = true;

    asio::io_context io_{1};
    asio::io_context executor_{1};
    asio::executor_work_guard<asio::io_context::executor_type> io_work_{io_.get_executor()};
    asio::executor_work_guard<asio::io_context::executor_type> executor_work_{executor_.get_executor()};
    asio::steady_timer grace_{io_};
    Transport transport_;
    const std::size_t max_connections_;
    CallQueue queue_;
    std::set<Connection*> connections_;
    std::size_t serving_ = 0;  // connections, those that are about to be made included
    std::vector<Idle*> idle_;
    std::set<std::shared_ptr<EventFeed>> feeds_;
    bool ending_ = false;
    std::thread io_thread_;
    std::thread executor_thread_;
};

namespace {

class RemoteSubscription final : public Subscription {
  public:
    RemoteSubscription(std::shared_ptr<EventFeed> feed, std::function<void()> leave)
        : leave_(std::move(leave)), feed_(std::move(feed)) {}
    ~RemoteSubscription() override { leave_(); }
    Result<std::optional<Delivery>> next(milliseconds timeout) override { return feed_->next(timeout); }
    void notify(std::function<void()> ready) override { feed_->notify(std::move(ready)); }
    Bytes cursor() const override { return feed_->cursor(); }

  private:
    const std::function<void()> leave_;  // keeps alive what the feed refers to
    const std::shared_ptr<EventFeed> feed_;
};

}  // namespace

Result<std::unique_ptr<RemoteClient>> RemoteClient::open(RemoteOptions options) {
    const auto max_connections = options.max_connections;
    auto transport = Transport::make(std::move(options));
    if (!transport) return transport.error();
    return std::make_unique<RemoteClient>(std::make_shared<Impl>(*std::move(transport), max_connections));
}

RemoteClient::RemoteClient(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

RemoteClient::~RemoteClient() {
    impl_->join();
}

void RemoteClient::end_within(milliseconds grace) {
    impl_->end_within(grace);
}

Result<std::unique_ptr<Subscription>> RemoteClient::subscribe(Channel channel, const SubscribeOptions& options) {
    auto feed = impl_->follow(channel, options);
    if (!feed) return feed.error();
    return std::unique_ptr<Subscription>(
        std::make_unique<RemoteSubscription>(*feed, [impl = impl_, feed = *feed] { impl->leave(feed); }));
}

void RemoteClient::submit_any(Commands command, Reply reply, AnswerOn where) {
    impl_->submit(call_of(Asked(std::in_place_type<Commands>, std::move(command)), std::move(reply), where));
}

Result<std::any> RemoteClient::read_any(Queries query) {
    std::promise<Result<std::any>> promise;
    auto answer = promise.get_future();
    impl_->submit(call_of(
        Asked(std::in_place_type<Queries>, std::move(query)),
        [&promise](Result<std::any> result) { promise.set_value(std::move(result)); }, AnswerOn::any_thread));
    return answer.get();
}

}  // namespace flowfabric::remote
