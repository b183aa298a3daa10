#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/state.hpp"
#include "flowfabric/values.hpp"

// Durable consumers of events, known by name. Events that a consumer has not acknowledged are kept for it.
namespace flowfabric {

struct ConsumerPosition {
    static constexpr std::string_view type_name = "ConsumerPosition";

    Bytes cursor;
    bool registered = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ConsumerPosition::cursor, field::cursor, "Where the consumer stands on its channel.");
        visit("registered", &ConsumerPosition::registered, field::optional, "Whether this call registered it.");
    }

    bool operator==(const ConsumerPosition&) const = default;
};

struct RegisterConsumer {
    using Answer = ConsumerPosition;
    static constexpr std::string_view type_name = "RegisterConsumer";
    static constexpr Operation operation{
        "register_consumer", "Keeps a channel's events for a consumer; one that is registered stays where it is."};

    Channel channel = Channel::completion;
    std::string consumer;
    Bytes cursor;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("channel", &RegisterConsumer::channel, field::required(), "The channel of events.");
        visit("consumer", &RegisterConsumer::consumer, field::required(field::identity), "The consumer's name.");
        visit("cursor", &RegisterConsumer::cursor, field::required(field::cursor),
              "Of the last event that it does not want.");
    }
};

struct AcknowledgeEvents {
    using Answer = ConsumerPosition;
    static constexpr std::string_view type_name = "AcknowledgeEvents";
    static constexpr Operation operation{
        "acknowledge_events",
        "Lets go of everything up to a cursor, which a consumer has dealt with; a position never goes back."};

    Channel channel = Channel::completion;
    std::string consumer;
    Bytes cursor;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("channel", &AcknowledgeEvents::channel, field::required(), "The channel of events.");
        visit("consumer", &AcknowledgeEvents::consumer, field::required(field::identity), "The consumer's name.");
        visit("cursor", &AcknowledgeEvents::cursor, field::required(field::cursor),
              "Of the last event that it has dealt with.");
    }
};

struct ConsumerRemoved {
    static constexpr std::string_view type_name = "ConsumerRemoved";

    bool existed = false;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("existed", &ConsumerRemoved::existed, field::optional, "Whether it was registered.");
    }

    bool operator==(const ConsumerRemoved&) const = default;
};

struct RemoveConsumer {
    using Answer = ConsumerRemoved;
    static constexpr std::string_view type_name = "RemoveConsumer";
    static constexpr Operation operation{"remove_consumer", "Forgets a consumer; nothing is kept for it any more."};

    Channel channel = Channel::completion;
    std::string consumer;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("channel", &RemoveConsumer::channel, field::required(), "The channel of events.");
        visit("consumer", &RemoveConsumer::consumer, field::required(field::identity), "The consumer's name.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

// A durable consumer and its position.
struct ConsumerView {
    static constexpr std::string_view type_name = "ConsumerView";

    Channel channel = Channel::completion;
    std::string name;
    Bytes cursor;
    std::int64_t registered_at_ms = 0;
    std::int64_t acknowledged_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("channel", &ConsumerView::channel, field::optional, "The channel that it follows.");
        visit("consumer", &ConsumerView::name, field::optional, "The consumer's name.");
        visit("cursor", &ConsumerView::cursor, field::cursor, "Where it stands on the channel.");
        visit("registered_at_ms", &ConsumerView::registered_at_ms, field::optional, "When it was registered.");
        visit("acknowledged_at_ms", &ConsumerView::acknowledged_at_ms, field::optional,
              "When it last acknowledged events.");
    }

    bool operator==(const ConsumerView&) const = default;
};

struct ConsumerPlace {
    Channel channel = Channel::completion;
    std::string name;

    // As one word, for the next page's query.
    static Result<ConsumerPlace> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const ConsumerPlace&) const = default;
};

struct ConsumerPage {
    static constexpr std::string_view type_name = "ConsumerPage";

    std::vector<ConsumerView> consumers;
    std::optional<ConsumerPlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("consumers", &ConsumerPage::consumers, field::optional, "Consumers, by channel and name.");
        visit("next_cursor", &ConsumerPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const ConsumerPage&) const = default;
};

struct ListConsumers {
    using Answer = ConsumerPage;
    static constexpr std::string_view type_name = "ListConsumers";
    static constexpr Operation operation{"list_consumers", "Lists the durable consumers, by channel and name."};

    std::optional<ConsumerPlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListConsumers::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListConsumers::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
