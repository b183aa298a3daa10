#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/ids.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/state.hpp"

// What can be asked of one execution.
namespace flowfabric {

// ---- an unknown execution is nothing ----------------------------------------------------------------------------

struct DescribeExecution {
    using Answer = std::optional<ExecutionView>;
    static constexpr std::string_view type_name = "DescribeExecution";
    static constexpr Operation operation{"describe_execution", "Shows an execution as it stands."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &DescribeExecution::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct ReadExecutionInfo {
    using Answer = std::optional<ExecutionInfo>;
    static constexpr std::string_view type_name = "ReadExecutionInfo";
    static constexpr Operation operation{"read_execution_info", "Shows the outline of an execution."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadExecutionInfo::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct FoundExecutions {
    static constexpr std::string_view type_name = "FoundExecutions";

    std::vector<ExecutionId> executions;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &FoundExecutions::executions, field::optional,
              "By partition; several only if their makers gave them one UUID.");
    }

    bool operator==(const FoundExecutions&) const = default;
};

struct FindExecutions {
    using Answer = FoundExecutions;
    static constexpr std::string_view type_name = "FindExecutions";
    static constexpr Operation operation{"find_executions",
                                         "Finds the execution with a UUID, whichever partition it is of."};

    Uuid uuid;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("uuid", &FindExecutions::uuid, field::required(), "The UUID, without a partition.");
    }
};

struct ReadExecutionState {
    using Answer = std::optional<PublicState>;
    static constexpr std::string_view type_name = "ReadExecutionState";
    static constexpr Operation operation{"read_execution_state", "Gives the state of an execution in one word."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadExecutionState::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct GetExecutionResult {
    using Answer = std::optional<ExecutionResult>;
    static constexpr std::string_view type_name = "GetExecutionResult";
    static constexpr Operation operation{"get_execution_result",
                                         "Gives the state of an execution, and its result once it is completed."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetExecutionResult::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct GetExecutionInput {
    using Answer = std::optional<ExecutionInput>;
    static constexpr std::string_view type_name = "GetExecutionInput";
    static constexpr Operation operation{"get_execution_input", "Gives the input of an execution."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetExecutionInput::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct GetExecutionNamespace {
    using Answer = std::optional<std::string>;
    static constexpr std::string_view type_name = "GetExecutionNamespace";
    static constexpr Operation operation{"get_execution_namespace", "Gives the namespace of an execution."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetExecutionNamespace::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

struct GetExecutionTag {
    using Answer = std::optional<std::string>;
    static constexpr std::string_view type_name = "GetExecutionTag";
    static constexpr Operation operation{"get_execution_tag", "Gives the value of an execution's tag."};

    ExecutionId execution_id;
    std::string key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetExecutionTag::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("key", &GetExecutionTag::key, field::required(field::tag_key), "The tag's key, such as app.customer.");
    }
};

struct ResolveExecutionFlowId {
    using Answer = std::optional<FlowId>;
    static constexpr std::string_view type_name = "ResolveExecutionFlowId";
    static constexpr Operation operation{"resolve_execution_flow_id",
                                         "Gives the flow that an execution is a member of."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ResolveExecutionFlowId::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

struct AttemptPage {
    static constexpr std::string_view type_name = "AttemptPage";

    std::vector<AttemptView> attempts;
    std::optional<std::uint32_t> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("attempts", &AttemptPage::attempts, field::optional, "Attempts, in their order.");
        visit("next_cursor", &AttemptPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const AttemptPage&) const = default;
};

struct ListAttempts {
    using Answer = AttemptPage;
    static constexpr std::string_view type_name = "ListAttempts";
    static constexpr Operation operation{"list_attempts", "Lists the attempts of an execution, in their order."};

    ExecutionId execution_id;
    std::optional<std::uint32_t> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ListAttempts::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("cursor", &ListAttempts::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListAttempts::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct ExplainExecution {
    using Answer = std::optional<Explanation>;
    static constexpr std::string_view type_name = "ExplainExecution";
    static constexpr Operation operation{"explain_execution", "Tells why an execution does not run."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ExplainExecution::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
    }
};

struct ReadExecCoreFields {
    using Answer = std::map<std::string, std::optional<std::string>>;
    static constexpr std::string_view type_name = "ReadExecCoreFields";
    static constexpr Operation operation{
        "read_exec_core_fields", "Gives columns of an execution's row as text, by name; nothing for an unknown one."};

    ExecutionId execution_id;
    std::vector<std::string> names;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadExecCoreFields::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("names", &ReadExecCoreFields::names, field::required(field::list(0, max_core_fields)),
              "The names of the columns.");
    }
};

// ---- an unknown execution is the error execution_not_found ------------------------------------------------------

struct ReadExecutionContext {
    using Answer = ExecutionContext;
    static constexpr std::string_view type_name = "ReadExecutionContext";
    static constexpr Operation operation{"read_execution_context", "Gives what a worker needs to run an execution."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadExecutionContext::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

struct ReadCurrentAttemptIndex {
    using Answer = std::uint32_t;
    static constexpr std::string_view type_name = "ReadCurrentAttemptIndex";
    static constexpr Operation operation{"read_current_attempt_index",
                                         "Gives the number of an execution's latest attempt, from 0."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadCurrentAttemptIndex::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

// One that it has not had is the error attempt_not_found.
struct GetAttempt {
    using Answer = AttemptView;
    static constexpr std::string_view type_name = "GetAttempt";
    static constexpr Operation operation{"get_attempt",
                                         "Shows an attempt of an execution: how it ended, and why if it failed."};

    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetAttempt::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("attempt_index", &GetAttempt::attempt_index, field::required(), "The attempt's number, from 0.");
    }
};

struct GetAttemptResult {
    using Answer = AttemptResult;
    static constexpr std::string_view type_name = "GetAttemptResult";
    static constexpr Operation operation{"get_attempt_result",
                                         "Gives how an attempt ended, and its result if it succeeded."};

    ExecutionId execution_id;
    std::uint32_t attempt_index = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &GetAttemptResult::execution_id, field::required(), "The execution's id, {fp:N}:UUID.");
        visit("attempt_index", &GetAttemptResult::attempt_index, field::required(), "The attempt's number, from 0.");
    }
};

struct ReadTotalAttemptCount {
    using Answer = std::uint32_t;
    static constexpr std::string_view type_name = "ReadTotalAttemptCount";
    static constexpr Operation operation{"read_total_attempt_count", "Gives how many attempts an execution has had."};

    ExecutionId execution_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ReadTotalAttemptCount::execution_id, field::required(),
              "The execution's id, {fp:N}:UUID.");
    }
};

}  // namespace flowfabric
