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

// Executions and expired leases, page by page.
namespace flowfabric {

struct ExecutionPage {
    static constexpr std::string_view type_name = "ExecutionPage";

    std::vector<ExecutionView> executions;
    std::optional<ExecutionId> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("executions", &ExecutionPage::executions, field::optional, "Executions, by id.");
        visit("next_cursor", &ExecutionPage::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const ExecutionPage&) const = default;
};

struct ListExecutions {
    using Answer = ExecutionPage;
    static constexpr std::string_view type_name = "ListExecutions";
    static constexpr Operation operation{"list_executions", "Lists executions, page by page."};

    std::optional<std::uint16_t> partition;
    std::optional<PublicState> state;
    std::optional<ExecutionId> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("partition", &ListExecutions::partition, field::partition, "One partition; absent: all of them.");
        visit("public_state", &ListExecutions::state, field::optional, "One public state; absent: all of them.");
        visit("cursor", &ListExecutions::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListExecutions::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct ExpiredLease {
    static constexpr std::string_view type_name = "ExpiredLease";

    ExecutionId execution_id;
    LeaseId lease_id;
    LeaseEpoch lease_epoch;
    std::uint32_t attempt_index = 0;
    std::string worker_id;
    std::string worker_instance_id;
    std::int64_t expires_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("execution_id", &ExpiredLease::execution_id, field::optional, "The execution's id, {fp:N}:UUID.");
        visit("lease_id", &ExpiredLease::lease_id, field::optional, "The lease's id, a UUID.");
        visit("lease_epoch", &ExpiredLease::lease_epoch, field::optional,
              "The lease's epoch, higher with every new lease.");
        visit("attempt_index", &ExpiredLease::attempt_index, field::optional, "The attempt that ran under it, from 0.");
        visit("worker_id", &ExpiredLease::worker_id, field::optional, "The worker that held it.");
        visit("worker_instance_id", &ExpiredLease::worker_instance_id, field::optional, "The worker's process.");
        visit("expires_at_ms", &ExpiredLease::expires_at_ms, field::optional, "When it ended.");
    }

    bool operator==(const ExpiredLease&) const = default;
};

struct ExpiredLeasePlace {
    std::int64_t expires_at_ms = 0;
    ExecutionId execution_id;

    // As one word, for the next page's query.
    static Result<ExpiredLeasePlace> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const ExpiredLeasePlace&) const = default;
};

struct ExpiredLeasePage {
    static constexpr std::string_view type_name = "ExpiredLeasePage";

    std::vector<ExpiredLease> leases;
    std::optional<ExpiredLeasePlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("leases", &ExpiredLeasePage::leases, field::optional,
              "Leases past their end that no worker has taken over, noticed or not, by expiry and id.");
        visit("next_cursor", &ExpiredLeasePage::next, field::optional,
              "Where the next page begins; absent at the end.");
    }

    bool operator==(const ExpiredLeasePage&) const = default;
};

struct ListExpiredLeases {
    using Answer = ExpiredLeasePage;
    static constexpr std::string_view type_name = "ListExpiredLeases";
    static constexpr Operation operation{"list_expired_leases",
                                         "Lists leases past their end that no worker has taken over."};

    std::optional<std::int64_t> as_of_ms;
    std::optional<std::string> namespace_name;
    std::optional<ExpiredLeasePlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("as_of_ms", &ListExpiredLeases::as_of_ms, field::optional, "Those that ended by then; absent: by now.");
        visit("namespace", &ListExpiredLeases::namespace_name, field::identity, "One namespace; absent: all of them.");
        visit("cursor", &ListExpiredLeases::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListExpiredLeases::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
