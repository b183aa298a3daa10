#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/search.hpp"

// Executions with all that is kept of them, for other systems.
namespace flowfabric {

struct ExportedExecution {
    static constexpr std::string_view type_name = "ExportedExecution";

    ExecutionView execution;
    std::vector<AttemptView> attempts;
    std::optional<ExecutionInput> input;
    std::optional<ExecutionResult> result;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution", &ExportedExecution::execution, field::optional, "The execution as it stands.");
        visit("attempts", &ExportedExecution::attempts, field::optional, "All of its attempts, in their order.");
        visit("input", &ExportedExecution::input, field::optional, "Its input, if that was asked for.");
        visit("result", &ExportedExecution::result, field::optional,
              "Its result, if that was asked for; only one that is completed has a result.");
    }

    bool operator==(const ExportedExecution&) const = default;
};

struct ExportPage {
    static constexpr std::string_view type_name = "ExportPage";

    std::vector<ExportedExecution> executions;
    std::optional<SearchPlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &ExportPage::executions, field::optional,
              "The newest first, by creation and id; the members of a flow by id.");
        visit(
            "next_cursor", &ExportPage::next, field::optional,
            "Where the next page begins; absent at the end. A page ends early after 4 MiB, and after a look at 10,000 "
            "executions.");
    }

    bool operator==(const ExportPage&) const = default;
};

struct ExportExecutions : ExecutionCriteria {
    using Answer = ExportPage;
    static constexpr std::string_view type_name = "ExportExecutions";
    static constexpr Operation operation{
        "export_executions", "Gives the executions that a search finds, with their attempts and, if asked, payloads."};

    bool with_input = false;
    bool with_result = false;
    std::optional<SearchPlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        ExecutionCriteria::fields(visit);
        visit("input", &ExportExecutions::with_input, field::optional, "Whether inputs come along.");
        visit("result", &ExportExecutions::with_result, field::optional, "Whether results come along.");
        visit("cursor", &ExportExecutions::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ExportExecutions::limit, field::optional,
              "How many a page has at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
