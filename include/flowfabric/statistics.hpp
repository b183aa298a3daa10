#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"

// What there is on the lanes and what has happened there, from counters that every change keeps in its own
// transaction: exact, and as cheap to read with a billion executions as with ten.
namespace flowfabric {

// How many executions stand in each public state.
struct StateCounts {
    static constexpr std::string_view type_name = "StateCounts";

    std::int64_t waiting = 0;
    std::int64_t delayed = 0;
    std::int64_t rate_limited = 0;
    std::int64_t waiting_children = 0;
    std::int64_t active = 0;
    std::int64_t suspended = 0;
    std::int64_t resumable = 0;
    std::int64_t completed = 0;
    std::int64_t failed = 0;
    std::int64_t cancelled = 0;
    std::int64_t expired = 0;
    std::int64_t skipped = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("waiting", &StateCounts::waiting, field::optional, "A worker could claim them, if nothing closes it.");
        visit("delayed", &StateCounts::delayed, field::optional, "Held until a time.");
        visit("rate_limited", &StateCounts::rate_limited, field::optional, "Held back by a budget or a quota.");
        visit("waiting_children", &StateCounts::waiting_children, field::optional, "Held by edges of their flows.");
        visit("active", &StateCounts::active, field::optional, "A worker holds a lease, or has lost it.");
        visit("suspended", &StateCounts::suspended, field::optional, "Held until a signal or an operator.");
        visit("resumable", &StateCounts::resumable, field::optional, "An interrupted attempt could go on.");
        visit("completed", &StateCounts::completed, field::optional, "Ended with success and still kept.");
        visit("failed", &StateCounts::failed, field::optional, "Failed and still kept.");
        visit("cancelled", &StateCounts::cancelled, field::optional, "Cancelled and still kept.");
        visit("expired", &StateCounts::expired, field::optional, "Ended by their deadline and still kept.");
        visit("skipped", &StateCounts::skipped, field::optional, "Impossible by their edges and still kept.");
    }

    bool operator==(const StateCounts&) const = default;
};

// What has happened since the store began. What retention removes stays counted.
struct LaneTotals {
    static constexpr std::string_view type_name = "LaneTotals";

    std::int64_t created = 0;
    std::int64_t claimed = 0;
    std::int64_t ended_success = 0;
    std::int64_t ended_failed = 0;
    std::int64_t ended_cancelled = 0;
    std::int64_t ended_expired = 0;
    std::int64_t ended_skipped = 0;
    std::int64_t retries = 0;
    std::int64_t lease_expiries = 0;
    std::int64_t reclaims = 0;

    std::int64_t ended() const {
        return ended_success + ended_failed + ended_cancelled + ended_expired + ended_skipped;
    }

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("created", &LaneTotals::created, field::optional, "Executions that were created.");
        visit("claimed", &LaneTotals::claimed, field::optional, "Leases that were given out.");
        visit("ended_success", &LaneTotals::ended_success, field::optional, "Ends with success.");
        visit("ended_failed", &LaneTotals::ended_failed, field::optional, "Ends by a failure.");
        visit("ended_cancelled", &LaneTotals::ended_cancelled, field::optional, "Ends by a cancellation.");
        visit("ended_expired", &LaneTotals::ended_expired, field::optional, "Ends by a deadline.");
        visit("ended_skipped", &LaneTotals::ended_skipped, field::optional, "Ends because edges became impossible.");
        visit("retries", &LaneTotals::retries, field::optional, "Failed attempts that another one follows.");
        visit("lease_expiries", &LaneTotals::lease_expiries, field::optional, "Leases that ran out.");
        visit("reclaims", &LaneTotals::reclaims, field::optional, "Lost leases that another worker took over.");
    }

    bool operator==(const LaneTotals&) const = default;
};

// Per second, on average over `over_ms`: differences of totals, and so exact over that time.
struct LaneRates {
    static constexpr std::string_view type_name = "LaneRates";

    std::int64_t over_ms = 0;
    double created = 0;
    double claimed = 0;
    double ended = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("over_ms", &LaneRates::over_ms, field::optional, "The time that they are of.");
        visit("created", &LaneRates::created, field::optional, "Executions created per second.");
        visit("claimed", &LaneRates::claimed, field::optional, "Leases given out per second.");
        visit("ended", &LaneRates::ended, field::optional, "Executions ended per second.");
    }

    bool operator==(const LaneRates&) const = default;
};

struct LaneStatistics {
    static constexpr std::string_view type_name = "LaneStatistics";

    std::string lane_id;
    StateCounts depth;
    LaneTotals totals;
    std::optional<std::int64_t> oldest_eligible_at_ms;
    std::optional<LaneRates> last_minute;
    std::optional<LaneRates> last_five_minutes;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &LaneStatistics::lane_id, field::optional, "The lane's name.");
        visit("depth", &LaneStatistics::depth, field::optional, "How many executions stand in each public state.");
        visit("totals", &LaneStatistics::totals, field::optional, "What has happened since the store began.");
        visit("oldest_eligible_at_ms", &LaneStatistics::oldest_eligible_at_ms, field::optional,
              "When the oldest execution was created that a worker could claim now.");
        visit("last_minute", &LaneStatistics::last_minute, field::optional,
              "Rates of about a minute; absent until the engine has looked for as long.");
        visit("last_five_minutes", &LaneStatistics::last_five_minutes, field::optional,
              "Rates of about five minutes; absent until the engine has looked for as long.");
    }

    bool operator==(const LaneStatistics&) const = default;
};

struct Statistics {
    static constexpr std::string_view type_name = "Statistics";

    std::int64_t as_of_ms = 0;
    StateCounts depth;
    LaneTotals totals;
    std::vector<LaneStatistics> lanes;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("as_of_ms", &Statistics::as_of_ms, field::optional, "The store's time.");
        visit("depth", &Statistics::depth, field::optional, "Of all lanes together, whatever was asked for.");
        visit("totals", &Statistics::totals, field::optional, "Of all lanes together, whatever was asked for.");
        visit("lanes", &Statistics::lanes, field::optional, "Lanes on which something was ever created, by name.");
        visit("next_cursor", &Statistics::next, field::optional, "Where the next page begins; absent at the end.");
    }

    bool operator==(const Statistics&) const = default;
};

struct ReadStatistics {
    using Answer = Statistics;
    static constexpr std::string_view type_name = "ReadStatistics";
    static constexpr Operation operation{"read_statistics",
                                         "Counts executions by lane and state, and what has happened, page by page."};

    std::optional<std::string> lane_id;
    std::optional<std::string> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &ReadStatistics::lane_id, field::lane, "Only of this lane.");
        visit("cursor", &ReadStatistics::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ReadStatistics::limit, field::optional, "How many lanes; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
