#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/events/consumer.hpp"
#include "core/execution/fence.hpp"
#include "engine/queries/find_execution.hpp"
#include "runtime/engine_impl.hpp"
#include "runtime/execution_subscription.hpp"

namespace flowfabric {
namespace {

constexpr std::size_t execution_buffer = 100;  // events of one channel

// A consumer is registered before anything is delivered to it, so that nothing it has seen the cursor of is removed.
// A new one without a cursor begins now, which the subscription knows.
template <class Follow>
Result<std::unique_ptr<Subscription>> subscribe_durably(Engine& engine, Channel channel, const std::string& consumer,
                                                        std::variant<Beginning, std::int64_t> from, Follow&& follow) {
    const bool is_told = std::holds_alternative<std::int64_t>(from);
    if (!is_told) {
        auto consumers = engine.list_consumers();
        if (!consumers) return consumers.error();
        for (const ConsumerView& known : *consumers) {
            if (known.channel == channel && known.name == consumer) return follow(**parse_cursor(known.cursor));
        }
    }
    auto subscription = follow(from);
    if (!subscription) return subscription;
    const auto placed = engine.register_consumer({channel, consumer, (*subscription)->cursor()});
    if (!placed) return placed.error();
    if (is_told || placed->registered) return subscription;
    return follow(**parse_cursor(placed->cursor));  // another engine has registered it meanwhile
}

}  // namespace

Result<std::unique_ptr<Subscription>> Engine::subscribe(Channel channel, const SubscribeOptions& options) {
    const auto cursor = parse_cursor(options.cursor);
    if (!cursor) return cursor.error();
    std::variant<Beginning, std::int64_t> from = options.from_oldest ? Beginning::oldest : Beginning::now;
    if (*cursor) {
        const auto mark = impl_->readers().run([&](StoreReader& reader) { return reader.watermark(channel); });
        if (!mark) return mark.error();
        if (auto refused = refuse_undrawn(**cursor, mark->drawn)) return *std::move(refused);
        from = **cursor;
    }
    if (options.partition) {
        if (auto checked = check_partition("partition", *options.partition); !checked) return checked.error();
    }
    if (options.namespace_name) {
        if (auto checked = check_identity("namespace", *options.namespace_name); !checked) return checked.error();
    }
    EventFilter filter{.partition = options.partition,
                       .namespace_name = options.namespace_name,
                       .instance_tag = std::nullopt,
                       .execution = std::nullopt};
    if (options.instance_tag) {
        const auto& [key, value] = *options.instance_tag;
        const auto settings = impl_->readers().run(
            [&](StoreReader& reader) { return current_settings(reader, impl_->settings().overrides); });
        if (!settings) return settings.error();
        if (key != settings->instance_tag_key) {
            return invalid_input("instance_tag", "events carry the tag " + settings->instance_tag_key + " only");
        }
        filter.instance_tag = value;
    }
    const auto follow = [&](std::variant<Beginning, std::int64_t> at) {
        return impl_->tail().subscribe(channel, filter, at, options.buffer);
    };
    return options.consumer ? subscribe_durably(*this, channel, *options.consumer, from, follow) : follow(from);
}

Result<std::unique_ptr<Subscription>> Engine::subscribe_completion(const SubscribeOptions& options) {
    return subscribe(Channel::completion, options);
}

Result<std::unique_ptr<Subscription>> Engine::subscribe_lease_history(const SubscribeOptions& options) {
    return subscribe(Channel::lease, options);
}

Result<std::unique_ptr<Subscription>> Engine::subscribe_signal_delivery(const SubscribeOptions& options) {
    return subscribe(Channel::signal, options);
}

Result<std::unique_ptr<Subscription>> Engine::subscribe_operator(const SubscribeOptions& options) {
    return subscribe(Channel::operators, options);
}

Result<std::unique_ptr<Subscription>> Engine::subscribe_execution(const ExecutionId& id, Bytes cursor,
                                                                  bool from_oldest) {
    const auto known =
        impl_->readers().run([&](StoreReader& reader) { return find_execution(reader, impl_->query_context(), id); });
    if (!known) return known.error();
    if (!*known) return execution_not_found(id);
    const auto follow = [&](Channel channel) {
        EventFilter filter;
        filter.execution = id;
        return impl_->tail().subscribe(channel, std::move(filter), Beginning::now, execution_buffer);
    };
    const ExecutionSubscription::Start start{.id = id,
                                             .cursor = std::move(cursor),
                                             .from_oldest = from_oldest,
                                             .created_at_ms = (*known)->row.created_at_ms};
    return ExecutionSubscription::open(start, impl_->shared_readers(), follow);
}

}  // namespace flowfabric
