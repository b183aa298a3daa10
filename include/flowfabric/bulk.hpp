#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/search.hpp"

// One action on everything that matches: durable, worked off piece by piece by whichever engines run.
namespace flowfabric {

using BulkOperationId = UuidOf<struct BulkOperationTag>;

enum class BulkAction : std::uint8_t { cancel, replay, purge };
enum class BulkState : std::uint8_t { running, done, cancelled };

template <>
inline constexpr std::array enum_names<BulkAction> = std::to_array<std::string_view>({"cancel", "replay", "purge"});

template <>
inline constexpr std::array enum_names<BulkState> = std::to_array<std::string_view>({"running", "done", "cancelled"});

struct BulkOperationView {
    static constexpr std::string_view type_name = "BulkOperationView";

    BulkOperationId operation_id;
    BulkAction action = BulkAction::cancel;
    ExecutionCriteria filter;
    std::string reason;
    std::string requester;
    BulkState state = BulkState::running;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
    bool searched = false;
    std::uint64_t open_count = 0;
    std::uint64_t done_count = 0;
    std::uint64_t skipped_count = 0;
    std::uint64_t failed_count = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("operation_id", &BulkOperationView::operation_id, field::optional, "The bulk operation's id, a UUID.");
        visit("action", &BulkOperationView::action, field::optional, "What is done to each.");
        visit("filter", &BulkOperationView::filter, field::optional, "Which executions are meant.");
        visit("reason", &BulkOperationView::reason, field::optional, "Why, for people.");
        visit("requester", &BulkOperationView::requester, field::optional, "Whose wish it was.");
        visit("state", &BulkOperationView::state, field::optional, "Whether there is more to do.");
        visit("created_at_ms", &BulkOperationView::created_at_ms, field::optional, "When it was started.");
        visit("ended_at_ms", &BulkOperationView::ended_at_ms, field::optional, "When it was done or cancelled.");
        visit("searched", &BulkOperationView::searched, field::optional,
              "Whether all executions that match are found.");
        visit("open_count", &BulkOperationView::open_count, field::optional,
              "How many are found and still to be dealt with.");
        visit("done_count", &BulkOperationView::done_count, field::optional, "How many executions it has changed.");
        visit("skipped_count", &BulkOperationView::skipped_count, field::optional,
              "How many had gone on to a state that the action is not for.");
        visit("failed_count", &BulkOperationView::failed_count, field::optional, "How many refused it.");
    }

    bool operator==(const BulkOperationView&) const = default;
};

struct StartBulkOperation {
    using Answer = BulkOperationView;
    static constexpr std::string_view type_name = "StartBulkOperation";
    static constexpr Operation operation{
        "start_bulk_operation", "Cancels, replays or purges all executions that match now; answers before it is done."};

    std::optional<BulkOperationId> operation_id;
    BulkAction action = BulkAction::cancel;
    ExecutionCriteria filter;
    std::string reason;
    std::string requester;
    std::string idempotency_key;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("operation_id", &StartBulkOperation::operation_id, field::optional,
              "The id of your choice, with which the command may be repeated; absent: it follows from the idempotency "
              "key, or is minted.");
        visit("action", &StartBulkOperation::action, field::required(),
              "What is done to each: cancel, replay or purge.");
        visit("filter", &StartBulkOperation::filter, field::required(),
              "Which executions are meant, never all; without public_state, those that have not ended where they are "
              "cancelled, those that have failed or expired where they are replayed, and those that have ended where "
              "they are purged.");
        visit("reason", &StartBulkOperation::reason, field::text(max_reason_bytes), "Why, for people.");
        visit("requester", &StartBulkOperation::requester, field::text(max_label_bytes), "Whose wish it is.");
        visit("idempotency_key", &StartBulkOperation::idempotency_key, field::text(max_idempotency_key_bytes),
              "Commands of the same key and the filter's namespace are one; one that differs in action or filter is "
              "refused.");
    }
};

struct CancelBulkOperation {
    using Answer = BulkOperationView;
    static constexpr std::string_view type_name = "CancelBulkOperation";
    static constexpr Operation operation{"cancel_bulk_operation",
                                         "Ends a bulk operation; what it has done stays done."};

    BulkOperationId operation_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("operation_id", &CancelBulkOperation::operation_id, field::required(),
              "The bulk operation's id, a UUID.");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

struct BulkPreview {
    static constexpr std::string_view type_name = "BulkPreview";

    std::uint64_t count = 0;
    bool complete = true;
    std::vector<ExecutionSummary> sample;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("count", &BulkPreview::count, field::optional, "How many executions match, as far as was counted.");
        visit("complete", &BulkPreview::complete, field::optional,
              "Whether that is all of them; counting ends after a look at 10,000 executions.");
        visit("sample", &BulkPreview::sample, field::optional, "The newest of them.");
    }

    bool operator==(const BulkPreview&) const = default;
};

struct PreviewBulkOperation {
    using Answer = BulkPreview;
    static constexpr std::string_view type_name = "PreviewBulkOperation";
    static constexpr Operation operation{"preview_bulk_operation", "Tells what a bulk operation would be about."};

    BulkAction action = BulkAction::cancel;
    ExecutionCriteria filter;
    std::uint32_t limit = 10;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("action", &PreviewBulkOperation::action, field::required(),
              "What would be done: cancel, replay or purge.");
        visit("filter", &PreviewBulkOperation::filter, field::required(), "Which executions are meant, never all.");
        visit("limit", &PreviewBulkOperation::limit, field::optional,
              "How many are shown; more than 1000 counts as 1000.");
    }
};

struct GetBulkOperation {
    using Answer = std::optional<BulkOperationView>;
    static constexpr std::string_view type_name = "GetBulkOperation";
    static constexpr Operation operation{"get_bulk_operation", "Shows how far a bulk operation is."};

    BulkOperationId operation_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("operation_id", &GetBulkOperation::operation_id, field::required(), "The bulk operation's id, a UUID.");
    }
};

struct BulkOperationPage {
    static constexpr std::string_view type_name = "BulkOperationPage";

    std::vector<BulkOperationView> operations;
    std::optional<BulkOperationId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("operations", &BulkOperationPage::operations, field::optional,
              "Bulk operations by id, descending: of those whose ids were minted, the newest first.");
        visit("next_cursor", &BulkOperationPage::next, field::optional,
              "Where the next page begins; absent at the end.");
    }

    bool operator==(const BulkOperationPage&) const = default;
};

struct ListBulkOperations {
    using Answer = BulkOperationPage;
    static constexpr std::string_view type_name = "ListBulkOperations";
    static constexpr Operation operation{"list_bulk_operations",
                                         "Lists bulk operations, those that ended in the last 30 days included."};

    std::optional<BulkOperationId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("cursor", &ListBulkOperations::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListBulkOperations::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
