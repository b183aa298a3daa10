#include "core/names.hpp"
#include "core/partition.hpp"
#include "runtime/engine_impl.hpp"

namespace flowfabric {

Result<std::unique_ptr<Subscription>> Engine::subscribe(Channel channel, const SubscribeOptions& options) {
    const auto from = parse_cursor(options.cursor);
    if (!from) return from.error();
    if (options.partition && *options.partition >= flow_partitions) {
        return invalid_input("partition", "partition_mismatch: not below " + std::to_string(flow_partitions));
    }
    if (options.namespace_name) {
        if (auto checked = check_identity("namespace", *options.namespace_name); !checked) return checked.error();
    }
    EventFilter filter{
        .partition = options.partition, .namespace_name = options.namespace_name, .instance_tag = std::nullopt};
    if (options.instance_tag) {
        const auto& [key, value] = *options.instance_tag;
        if (key != impl_->options().instance_tag_key) {
            return invalid_input("instance_tag", "events carry the tag " + impl_->options().instance_tag_key + " only");
        }
        filter.instance_tag = value;
    }
    return impl_->tail().subscribe(channel, std::move(filter), *from, options.buffer);
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

}  // namespace flowfabric
