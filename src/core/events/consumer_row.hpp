#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/rows/side_row.hpp"

namespace flowfabric {

struct ConsumerKey {
    Channel channel = Channel::lease;
    std::string name;

    auto operator<=>(const ConsumerKey&) const = default;
};

template <Is<ConsumerKey> Key, class Visitor>
void visit_columns(Key& key, Visitor&& visit) {
    visit("channel", key.channel);
    visit("consumer", key.name);
}

// A reader of events that is known by name. Retention waits for it.
struct ConsumerRow {
    static constexpr std::string_view table = "ff_event_consumer";
    static constexpr RowLock lock = RowLock::covered_by_parent;
    using Key = ConsumerKey;

    ConsumerKey key;
    std::int64_t event_id = 0;  // everything up to it is acknowledged
    std::int64_t registered_at_ms = 0;
    std::int64_t acknowledged_at_ms = 0;

    bool operator==(const ConsumerRow&) const = default;
};

template <Is<ConsumerRow> Row, class Visitor>
void visit_columns(Row& row, Visitor&& visit) {
    visit_columns(row.key, visit);
    visit("event_id", row.event_id);
    visit("registered_at_ms", row.registered_at_ms);
    visit("acknowledged_at_ms", row.acknowledged_at_ms);
}

}  // namespace flowfabric
