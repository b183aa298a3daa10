#include <algorithm>

#include "core/base/names.hpp"
#include "core/base/partition.hpp"
#include "core/command/admission.hpp"

namespace flowfabric {
namespace {

Result<WorkerKey> worker_key_of(std::string namespace_name, std::string worker_instance_id) {
    Checks check;
    check(check_identity("namespace", namespace_name));
    check(check_identity("worker_instance_id", worker_instance_id));
    if (check.fault()) return *check.fault();
    return WorkerKey{worker_partition(worker_instance_id), std::move(namespace_name), std::move(worker_instance_id)};
}

}  // namespace

Result<Command> admit(RegisterWorker command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    Checks check;
    check(check_identity("worker_id", command.worker_id));
    check(check_lanes(command.lanes));
    check(check_ttl(command.liveness_ttl_ms, "liveness_ttl_ms"));
    if (check.fault()) return *check.fault();
    auto capabilities = normalise_capabilities("worker", std::move(command.capabilities));
    if (!capabilities) return capabilities.error();
    std::ranges::sort(command.lanes);
    command.lanes.erase(std::ranges::unique(command.lanes).begin(), command.lanes.end());
    return Command{AdmittedWorker{{.key = std::move(*key),
                                   .worker_id = std::move(command.worker_id),
                                   .lanes = {std::move(command.lanes)},
                                   .capabilities_csv = csv_of(*capabilities),
                                   .liveness_ttl_ms = static_cast<std::int64_t>(command.liveness_ttl_ms)}}};
}

Result<Command> admit(HeartbeatWorker command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    return Command{AdmittedHeartbeat{std::move(*key)}};
}

Result<Command> admit(MarkWorkerDead command, const Settings&, const IdSource&) {
    auto key = worker_key_of(std::move(command.namespace_name), std::move(command.worker_instance_id));
    if (!key) return key.error();
    if (auto checked = check_line("reason", command.reason, max_line_bytes); !checked) return checked.error();
    return Command{AdmittedWorkerDeath{std::move(*key), std::move(command.reason)}};
}

}  // namespace flowfabric
