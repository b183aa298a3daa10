#include "server/tracing/span_exporter.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "runtime/log.hpp"
#include "runtime/threads/guard.hpp"
#include "server/tracing/otlp_document.hpp"

namespace flowfabric::server {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

double random_part() {
    thread_local std::mt19937_64 numbers{std::random_device{}()};
    return std::uniform_real_distribution<double>()(numbers);
}

}  // namespace

class SpanExporter::Impl {
  public:
    explicit Impl(ExportOptions options) : options_(std::move(options)), queue_(options_.limits, random_part) {}

    ~Impl() { finish(Clock::now()); }

    Result<void> start() {
        auto address = remote::PostAddress::of(io_, options_.url);
        if (!address) return address.error();
        address_ = *std::move(address);
        thread_ = std::thread([this] { run(); });
        return {};
    }

    void add(std::vector<Span> spans) {
        std::size_t dropped = 0;
        bool is_news = false;
        {
            const std::scoped_lock lock(mutex_);
            const auto due = queue_.due();
            const auto now = Clock::now();
            for (Span& span : spans) {
                if (!queue_.add(std::move(span), now)) ++dropped;
            }
            is_news = queue_.due() != due;
        }
        if (is_news) changed_.notify_one();
        count(ExportOutcome::dropped, dropped);
    }

    void finish(Clock::time_point until) {
        if (!thread_.joinable()) return;
        {
            const std::scoped_lock lock(mutex_);
            queue_.end();
            until_ = until;
        }
        changed_.notify_one();
        asio::post(io_, [this, until] {
            deadline_.expires_at(until);
            deadline_.async_wait([this](const boost::system::error_code&) {
                cut_off_ = true;
                address_->close();
            });
        });
        thread_.join();
        std::size_t left = 0;
        {
            const std::scoped_lock lock(mutex_);
            left = queue_.clear();
        }
        count(ExportOutcome::dropped, left);
    }

  private:
    void run() {
        for (auto batch = next(); !batch.empty(); batch = next()) {
            const std::size_t size = batch.size();
            if (contain("the export of spans broke", [&] { send(std::move(batch)); })) continue;
            count(ExportOutcome::dropped, size);
            const std::scoped_lock lock(mutex_);
            queue_.done();
        }
    }

    // Nothing: it is the end.
    std::vector<Span> next() {
        std::unique_lock lock(mutex_);
        for (;;) {
            const auto now = Clock::now();
            if (until_ && now >= *until_) return {};
            if (auto batch = queue_.take(now); !batch.empty()) return batch;
            if (until_) return {};
            if (const auto due = queue_.due()) {
                changed_.wait_until(lock, *due);
            } else {
                changed_.wait(lock);
            }
        }
    }

    void send(std::vector<Span> batch) {
        const std::size_t size = batch.size();
        const OtlpAnswer answer = otlp_answer(post(otlp_document(batch, options_.service_name)), size);
        note(answer);
        if (!answer.again) {
            count(ExportOutcome::exported, size - answer.rejected);
            count(ExportOutcome::rejected, answer.rejected);
        }
        const std::scoped_lock lock(mutex_);
        if (!answer.again) {
            queue_.done();
            return;
        }
        queue_.failed(std::move(batch), Clock::now(), std::chrono::milliseconds(answer.retry_after_ms));
        if (until_) until_ = Clock::now();
    }

    remote::PostReply post(const std::string& document) {
        std::optional<remote::PostReply> reply;
        const std::string content_type = "application/json";
        const auto request = [&]() -> asio::awaitable<void> {
            if (cut_off_) co_return;
            reply = co_await address_->post(options_.headers, content_type, document);
        };
        bool over = false;
        asio::co_spawn(io_, request, [&](const std::exception_ptr& broken) {
            over = true;
            if (broken) std::rethrow_exception(broken);
        });
        io_.restart();
        while (!over) io_.run_one();
        return reply.value_or(remote::PostReply{.error = "it is the end"});
    }

    void note(const OtlpAnswer& answer) {
        const bool failing = !answer.trouble.empty();
        if (std::exchange(failing_, failing) == failing) return;
        if (failing) {
            log_event(LogLevel::warn,
                      answer.again ? "spans do not reach the collector and are sent again" : "spans are refused",
                      {{"collector", options_.url}, {"why", answer.trouble}});
        } else {
            log_event(LogLevel::info, "spans are taken again", {{"collector", options_.url}});
        }
    }

    void count(ExportOutcome outcome, std::size_t spans) const {
        if (spans > 0 && options_.observe) options_.observe(outcome, spans);
    }

    const ExportOptions options_;
    // The thread's own, but for posts.
    asio::io_context io_{1};
    std::unique_ptr<remote::PostAddress> address_;
    asio::steady_timer deadline_{io_};
    bool cut_off_ = false;
    bool failing_ = false;  // as was logged

    std::mutex mutex_;  // guards everything below but the thread
    std::condition_variable changed_;
    ExportQueue queue_;
    std::optional<Clock::time_point> until_;  // there is an end

    std::thread thread_;
};

SpanExporter::SpanExporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SpanExporter::~SpanExporter() = default;

Result<std::unique_ptr<SpanExporter>> SpanExporter::start(ExportOptions options) {
    auto impl = std::make_unique<Impl>(std::move(options));
    if (auto started = impl->start(); !started) return started.error();
    return std::unique_ptr<SpanExporter>(new SpanExporter(std::move(impl)));
}

void SpanExporter::add(std::vector<Span> spans) {
    impl_->add(std::move(spans));
}

void SpanExporter::finish(std::chrono::steady_clock::time_point until) {
    impl_->finish(until);
}

}  // namespace flowfabric::server
