#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flowfabric/execution_views.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/state.hpp"

// What operators look at: lanes, settings, workers, signing keys, and the health of the store and of an engine.
namespace flowfabric {

// ---- lanes and settings -----------------------------------------------------------------------------------------

struct LaneView {
    static constexpr std::string_view type_name = "LaneView";

    std::string lane_id;
    LaneState state = LaneState::active;
    std::int64_t state_changed_at_ms = 0;
    std::int64_t registered_at_ms = 0;
    std::string registered_by;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lane_id", &LaneView::lane_id, field::optional, "The lane.");
        visit("state", &LaneView::state, field::optional, "Whether it accepts work and hands it out.");
        visit("state_changed_at_ms", &LaneView::state_changed_at_ms, field::optional, "When its state last changed.");
        visit("registered_at_ms", &LaneView::registered_at_ms, field::optional, "When it was first named.");
        visit("registered_by", &LaneView::registered_by, field::optional, "What named it first.");
    }

    bool operator==(const LaneView&) const = default;
};

struct LaneListQuery {
    static constexpr std::string_view type_name = "LaneListQuery";

    std::optional<std::string> after;
    std::uint32_t limit = max_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("after", &LaneListQuery::after, field::optional, "The last page's next_cursor.");
        visit("limit", &LaneListQuery::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct LanePage {
    static constexpr std::string_view type_name = "LanePage";

    std::vector<LaneView> lanes;
    std::optional<std::string> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("lanes", &LanePage::lanes, field::optional, "Lanes, by name.");
        visit("next_cursor", &LanePage::next, field::optional, "Where the next page begins; absent at the end.");
    }
};

struct SettingView {
    static constexpr std::string_view type_name = "SettingView";

    std::string name;
    std::string type;
    std::string value;
    std::string default_value;
    bool is_set = false;
    std::optional<std::int64_t> updated_at_ms;
    std::string documentation;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &SettingView::name, field::optional, "The setting.");
        visit("type", &SettingView::type, field::optional, "What kind of value it takes.");
        visit("value", &SettingView::value, field::optional, "What holds.");
        visit("default_value", &SettingView::default_value, field::optional, "What holds when it is not set.");
        visit("is_set", &SettingView::is_set, field::optional, "False: the default holds.");
        visit("updated_at_ms", &SettingView::updated_at_ms, field::optional, "When it was last set.");
        visit("documentation", &SettingView::documentation, field::optional, "What it decides.");
    }

    bool operator==(const SettingView&) const = default;
};

// ---- workers ----------------------------------------------------------------------------------------------------

struct WorkerView {
    static constexpr std::string_view type_name = "WorkerView";

    std::string namespace_name;
    std::string worker_instance_id;
    std::string worker_id;
    std::vector<std::string> lanes;
    std::vector<std::string> capabilities;
    std::int64_t last_heartbeat_ms = 0;
    std::int64_t liveness_ttl_ms = 0;
    std::int64_t registered_at_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &WorkerView::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("worker_instance_id", &WorkerView::worker_instance_id, field::optional, "The process.");
        visit("worker_id", &WorkerView::worker_id, field::optional, "The worker that it is a process of.");
        visit("lanes", &WorkerView::lanes, field::optional, "The lanes that it takes work from.");
        visit("capabilities", &WorkerView::capabilities, field::optional, "What it can do.");
        visit("last_heartbeat_ms", &WorkerView::last_heartbeat_ms, field::optional, "When it was last heard of.");
        visit("liveness_ttl_ms", &WorkerView::liveness_ttl_ms, field::optional,
              "How long it counts as alive after that.");
        visit("registered_at_ms", &WorkerView::registered_at_ms, field::optional, "When it was registered.");
    }

    bool operator==(const WorkerView&) const = default;
};

struct WorkerPlace {
    static constexpr std::string_view type_name = "WorkerPlace";

    std::string namespace_name;
    std::string worker_instance_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &WorkerPlace::namespace_name, field::required(), "The worker's namespace.");
        visit("worker_instance_id", &WorkerPlace::worker_instance_id, field::required(), "The worker's process.");
    }

    auto operator<=>(const WorkerPlace&) const = default;
};

struct WorkerListQuery {
    static constexpr std::string_view type_name = "WorkerListQuery";

    std::optional<std::string> namespace_name;
    std::optional<WorkerPlace> after;
    std::uint32_t limit = 50;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &WorkerListQuery::namespace_name, field::identity, "One namespace; absent: all of them.");
        visit("after", &WorkerListQuery::after, field::optional, "The last page's next_cursor.");
        visit("limit", &WorkerListQuery::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

struct WorkerPage {
    static constexpr std::string_view type_name = "WorkerPage";

    std::vector<WorkerView> workers;
    std::optional<WorkerPlace> next;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("workers", &WorkerPage::workers, field::optional, "Workers that are alive, by namespace and instance.");
        visit("next_cursor", &WorkerPage::next, field::optional, "Where the next page begins; absent at the end.");
    }
};

// ---- signing keys -----------------------------------------------------------------------------------------------

// The keys that sign and verify now; secrets are never shown.
struct SigningKids {
    struct Verifying {
        static constexpr std::string_view type_name = "VerifyingKid";

        std::string kid;
        std::int64_t expires_at_ms = 0;

        template <class Visit>
        static void fields(Visit&& visit) {
            visit("kid", &Verifying::kid, field::optional, "The key.");
            visit("expires_at_ms", &Verifying::expires_at_ms, field::optional, "When it ceases to verify.");
        }

        bool operator==(const Verifying&) const = default;
    };
    static constexpr std::string_view type_name = "SigningKids";

    std::optional<std::string> current_kid;
    std::vector<Verifying> verifying;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("current_kid", &SigningKids::current_kid, field::optional, "The key that signs; absent: there is none.");
        visit("verifying", &SigningKids::verifying, field::optional, "Retired keys that still verify, by kid.");
    }

    bool operator==(const SigningKids&) const = default;
};

// A key without its secret.
struct SigningKeyView {
    enum class State : std::uint8_t { active, verifying, lapsed };
    static constexpr std::string_view type_name = "SigningKeyView";

    std::string kid;
    State state = State::active;
    bool sealed = false;
    std::int64_t rotated_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("kid", &SigningKeyView::kid, field::optional, "The key.");
        visit("state", &SigningKeyView::state, field::optional, "Whether it signs, still verifies, or neither.");
        visit("sealed", &SigningKeyView::sealed, field::optional, "False: its secret is stored in plain.");
        visit("rotated_at_ms", &SigningKeyView::rotated_at_ms, field::optional, "When it became the active key.");
        visit("expires_at_ms", &SigningKeyView::expires_at_ms, field::optional,
              "When a key that does not sign any more ceases to verify.");
    }

    bool operator==(const SigningKeyView&) const = default;
};

template <>
inline constexpr std::array enum_names<SigningKeyView::State> =
    std::to_array<std::string_view>({"active", "verifying", "lapsed"});

// ---- health -----------------------------------------------------------------------------------------------------

// What a look at the database's health found.
struct Finding {
    enum class Level : std::uint8_t { fine, advice, danger };
    static constexpr std::string_view type_name = "Finding";

    Level level = Level::fine;
    std::string check;
    std::string detail;
    std::string remedy;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("level", &Finding::level, field::optional, "How bad it is.");
        visit("check", &Finding::check, field::optional, "What was looked at.");
        visit("detail", &Finding::detail, field::optional, "What was found.");
        visit("remedy", &Finding::remedy, field::optional, "What to do about it; empty when all is well.");
    }
};

template <>
inline constexpr std::array enum_names<Finding::Level> = std::to_array<std::string_view>({"ok", "advice", "danger"});

// What a reconciler of this engine has done since it was opened.
struct ReconcilerView {
    static constexpr std::string_view type_name = "ReconcilerView";

    std::string name;
    std::uint64_t runs = 0;
    std::uint64_t processed = 0;
    std::uint64_t errors = 0;
    std::optional<std::int64_t> last_run_at_ms;
    std::string last_error;
    std::int64_t lag_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &ReconcilerView::name, field::optional, "The reconciler.");
        visit("runs", &ReconcilerView::runs, field::optional, "How often it ran.");
        visit("processed", &ReconcilerView::processed, field::optional, "How many of its commands changed something.");
        visit("errors", &ReconcilerView::errors, field::optional, "How many runs or commands failed.");
        visit("last_run_at_ms", &ReconcilerView::last_run_at_ms, field::optional,
              "When it last ran, on the store's clock.");
        visit("last_error", &ReconcilerView::last_error, field::optional, "How it last failed; empty: it never did.");
        visit("lag_ms", &ReconcilerView::lag_ms, field::optional,
              "How long the oldest due row had been due at the last run.");
    }
};

}  // namespace flowfabric
