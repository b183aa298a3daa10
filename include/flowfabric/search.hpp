#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/state.hpp"

// Executions by what they have in common.
namespace flowfabric {

// Which executions are meant: those for which all that is given holds.
struct ExecutionCriteria {
    static constexpr std::string_view type_name = "ExecutionCriteria";

    std::optional<std::string> lane_id;
    std::vector<PublicState> states;
    std::optional<std::string> execution_kind;
    std::optional<std::string> tag_key;
    std::optional<std::string> tag_value;
    std::optional<std::int64_t> created_after_ms;
    std::optional<std::int64_t> created_before_ms;
    std::optional<std::string> namespace_name;
    std::optional<FlowId> flow_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &ExecutionCriteria::lane_id, field::lane, "In this lane.");
        visit("public_state", &ExecutionCriteria::states, field::list(0, max_states), "In one of these states.");
        visit("execution_kind", &ExecutionCriteria::execution_kind, field::text(max_label_bytes), "Of this kind.");
        visit("tag_key", &ExecutionCriteria::tag_key, field::tag_key, "With this tag, such as app.customer.");
        visit("tag_value", &ExecutionCriteria::tag_value, field::text(max_tag_bytes), "With this value of the tag.");
        visit("created_after_ms", &ExecutionCriteria::created_after_ms, field::time, "Created then or later.");
        visit("created_before_ms", &ExecutionCriteria::created_before_ms, field::time, "Created before then.");
        visit("namespace", &ExecutionCriteria::namespace_name, field::identity, "In this namespace.");
        visit("flow_id", &ExecutionCriteria::flow_id, field::optional, "Members of this flow.");
    }

    bool operator==(const ExecutionCriteria&) const = default;
};

// In the order in which searches go, backwards.
struct SearchPlace {
    std::int64_t created_at_ms = 0;
    ExecutionId execution_id;

    // As one word, for the next page's query.
    static Result<SearchPlace> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const SearchPlace&) const = default;
};

struct SearchPage {
    static constexpr std::string_view type_name = "SearchPage";

    std::vector<ExecutionSummary> executions;
    std::optional<SearchPlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &SearchPage::executions, field::optional,
              "The newest first, by creation and id; the members of a flow by id.");
        visit("next_cursor", &SearchPage::next, field::optional,
              "Where the next page begins; absent at the end, and there where a page ended early, after 10,000 "
              "executions.");
    }

    bool operator==(const SearchPage&) const = default;
};

struct SearchExecutions : ExecutionCriteria {
    using Answer = SearchPage;
    static constexpr std::string_view type_name = "SearchExecutions";
    static constexpr Operation operation{"search_executions",
                                         "Finds executions by lane, state, kind, tag, time, namespace or flow."};

    std::optional<SearchPlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        ExecutionCriteria::fields(visit);
        visit("cursor", &SearchExecutions::after, field::optional, "The last page's next_cursor.");
        visit("limit", &SearchExecutions::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
