#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"
#include "flowfabric/result.hpp"
#include "flowfabric/state.hpp"

// The registry of workers. Claims do not depend on it.
namespace flowfabric {

struct WorkerRegistered {
    static constexpr std::string_view type_name = "WorkerRegistered";

    bool refreshed = false;
    std::int64_t next_expiry_ms = 0;
    WorkerMode mode = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("refreshed", &WorkerRegistered::refreshed, field::optional, "Whether it was registered and alive.");
        visit("next_expiry_ms", &WorkerRegistered::next_expiry_ms, field::optional,
              "When it counts as dead unless it sends a heartbeat.");
        visit("mode", &WorkerRegistered::mode, field::optional, "What it is asked to do.");
    }

    bool operator==(const WorkerRegistered&) const = default;
};

struct RegisterWorker {
    using Answer = WorkerRegistered;
    static constexpr std::string_view type_name = "RegisterWorker";
    static constexpr Operation operation{"register_worker", "Tells others that a worker is there."};

    std::string namespace_name = "default";
    std::string worker_id;
    std::string worker_instance_id;
    std::vector<std::string> lanes = {"default"};
    std::vector<std::string> capabilities;
    std::uint64_t liveness_ttl_ms = 30'000;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &RegisterWorker::namespace_name, field::identity, "The worker's namespace.");
        visit("worker_id", &RegisterWorker::worker_id, field::required(field::identity),
              "The worker's name, which its processes share.");
        visit("worker_instance_id", &RegisterWorker::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
        visit("lanes", &RegisterWorker::lanes, field::list(1, max_claim_lanes, field::lane),
              "The lanes that it takes from.");
        visit("capabilities", &RegisterWorker::capabilities,
              field::list(0, max_capabilities, field::line(max_capability_bytes)),
              "What the worker can do: words without commas and blanks.");
        visit("liveness_ttl_ms", &RegisterWorker::liveness_ttl_ms, field::between(min_ttl_ms, max_ttl_ms),
              "How long it counts as alive without a heartbeat.");
    }
};

struct NotRegistered {
    static constexpr std::string_view type_name = "NotRegistered";

    bool operator==(const NotRegistered&) const = default;
};

struct WorkerAlive {
    static constexpr std::string_view type_name = "WorkerAlive";

    std::int64_t next_expiry_ms = 0;
    WorkerMode mode = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("next_expiry_ms", &WorkerAlive::next_expiry_ms, field::optional,
              "When it counts as dead unless it sends another heartbeat.");
        visit("mode", &WorkerAlive::mode, field::optional, "What it is asked to do.");
    }

    bool operator==(const WorkerAlive&) const = default;
};

using Heartbeat = std::variant<WorkerAlive, NotRegistered>;

struct HeartbeatWorker {
    using Answer = Heartbeat;
    static constexpr std::string_view type_name = "HeartbeatWorker";
    static constexpr Operation operation{"heartbeat_worker", "Keeps a registered worker alive."};

    std::string namespace_name = "default";
    std::string worker_instance_id;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &HeartbeatWorker::namespace_name, field::identity, "The worker's namespace.");
        visit("worker_instance_id", &HeartbeatWorker::worker_instance_id, field::required(field::identity),
              "The process of the worker that runs.");
    }
};

struct WorkerMarkedDead {
    static constexpr std::string_view type_name = "WorkerMarkedDead";

    bool operator==(const WorkerMarkedDead&) const = default;
};

using WorkerDeath = std::variant<WorkerMarkedDead, NotRegistered>;

struct MarkWorkerDead {
    using Answer = WorkerDeath;
    static constexpr std::string_view type_name = "MarkWorkerDead";
    static constexpr Operation operation{"mark_worker_dead",
                                         "Takes a worker off the list; its leases stay until they expire."};

    std::string namespace_name = "default";
    std::string worker_instance_id;
    std::string reason;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &MarkWorkerDead::namespace_name, field::identity, "The worker's namespace.");
        visit("worker_instance_id", &MarkWorkerDead::worker_instance_id, field::required(field::identity),
              "The process of the worker that ran.");
        visit("reason", &MarkWorkerDead::reason, field::required(field::line(max_line_bytes)), "Why, for people.");
    }
};

struct WorkerModeSet {
    static constexpr std::string_view type_name = "WorkerModeSet";

    WorkerMode mode = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("mode", &WorkerModeSet::mode, field::optional, "What holds from now on.");
    }

    bool operator==(const WorkerModeSet&) const = default;
};

// What is asked of a worker lasts until it is asked to run again, over all of its processes, those that come later too.
// What is asked of one process ends with its registration. Of both the stricter holds.
struct SetWorkerMode {
    using Answer = WorkerModeSet;
    static constexpr std::string_view type_name = "SetWorkerMode";
    static constexpr Operation operation{
        "set_worker_mode", "Asks a worker, or one process of it, to claim nothing, to end, or to run as usual."};

    std::string namespace_name = "default";
    std::optional<std::string> worker_id;
    std::optional<std::string> worker_instance_id;
    WorkerMode mode = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &SetWorkerMode::namespace_name, field::identity, "The worker's namespace.");
        visit("worker_id", &SetWorkerMode::worker_id, field::identity,
              "The worker, with all of its processes; not needed beside worker_instance_id.");
        visit("worker_instance_id", &SetWorkerMode::worker_instance_id, field::identity,
              "One process; absent: all processes of the worker.");
        visit("mode", &SetWorkerMode::mode, field::required(),
              "run, quiet (it claims nothing) or stop (it finishes what it has, and ends).");
    }
};

// ---- reads ------------------------------------------------------------------------------------------------------

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
    WorkerMode mode = WorkerMode::run;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &WorkerView::namespace_name, field::optional, "The namespace that it belongs to.");
        visit("worker_instance_id", &WorkerView::worker_instance_id, field::optional,
              "The process of the worker that runs.");
        visit("worker_id", &WorkerView::worker_id, field::optional, "The worker that it is a process of.");
        visit("lanes", &WorkerView::lanes, field::optional, "The lanes that it takes work from.");
        visit("capabilities", &WorkerView::capabilities, field::optional, "What it can do.");
        visit("last_heartbeat_ms", &WorkerView::last_heartbeat_ms, field::optional, "When it was last heard of.");
        visit("liveness_ttl_ms", &WorkerView::liveness_ttl_ms, field::optional,
              "How long it counts as alive after that.");
        visit("registered_at_ms", &WorkerView::registered_at_ms, field::optional, "When it was registered.");
        visit("mode", &WorkerView::mode, field::optional, "What it is asked to do.");
    }

    bool operator==(const WorkerView&) const = default;
};

struct WorkerPlace {
    std::string namespace_name;
    std::string worker_instance_id;

    // As one word, for the next page's query.
    static Result<WorkerPlace> parse(std::string_view text);
    std::string to_string() const;

    auto operator<=>(const WorkerPlace&) const = default;
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

    bool operator==(const WorkerPage&) const = default;
};

struct ListWorkers {
    using Answer = WorkerPage;
    static constexpr std::string_view type_name = "ListWorkers";
    static constexpr Operation operation{"list_workers", "Lists the workers that are alive, page by page."};

    std::optional<std::string> namespace_name;
    std::optional<WorkerPlace> after;
    std::uint32_t limit = default_page;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("namespace", &ListWorkers::namespace_name, field::identity, "One namespace; absent: all of them.");
        visit("cursor", &ListWorkers::after, field::optional, "The last page's next_cursor.");
        visit("limit", &ListWorkers::limit, field::optional, "How many at most; more than 1000 counts as 1000.");
    }
};

}  // namespace flowfabric
