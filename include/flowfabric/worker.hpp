#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flowfabric/field.hpp"
#include "flowfabric/limits.hpp"

// Which workers are there. Claims do not depend on it.
namespace flowfabric {

struct WorkerRegistered {
    static constexpr std::string_view type_name = "WorkerRegistered";

    bool refreshed = false;
    std::int64_t next_expiry_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("refreshed", &WorkerRegistered::refreshed, field::optional, "Whether it was registered and alive.");
        visit("next_expiry_ms", &WorkerRegistered::next_expiry_ms, field::optional,
              "When it counts as dead unless it sends a heartbeat.");
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
        visit("worker_id", &RegisterWorker::worker_id, field::required(field::identity), "The worker.");
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

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("next_expiry_ms", &WorkerAlive::next_expiry_ms, field::optional,
              "When it counts as dead unless it sends another heartbeat.");
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
        visit("reason", &MarkWorkerDead::reason, field::line(max_line_bytes), "Why, for people.");
    }
};

}  // namespace flowfabric
