#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/worker/worker_mode.hpp"
#include "flowfabric/worker.hpp"

namespace flowfabric {
namespace {

class SetWorkerModeBody final : public CommandBody {
  public:
    explicit SetWorkerModeBody(WorkerModeRow row) : row_(std::move(row)) {}

    CommandTraits traits() const override { return {.name = "set_worker_mode", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(row_); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<WorkerModeRow>().keys.push_back(row_.key); }
    std::string subject() const override { return "worker " + row_.key.name; }

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        auto& modes = context.set.side.of<WorkerModeRow>();
        if (row_.mode == WorkerMode::run) {
            modes.erase(row_.key);
        } else {
            modes.put(row_);
        }
        // Claims that wait look again, and are told.
        context.set.work_available = true;
        return Answer::of<WorkerModeSet>({.mode = row_.mode});
    }

  private:
    WorkerModeRow row_;
};

}  // namespace

template <>
Result<Command> admit(SetWorkerMode command, const Settings&, const IdSource&) {
    Checks check;
    check(check_identity("namespace", command.namespace_name));
    if (command.worker_id) check(check_identity("worker_id", *command.worker_id));
    if (command.worker_instance_id) check(check_identity("worker_instance_id", *command.worker_instance_id));
    check.require(command.worker_id || command.worker_instance_id, "worker_id", "give this or worker_instance_id");
    check.require(is_known(command.mode), "mode", "is not known");
    if (check.fault()) return *check.fault();
    const bool one = command.worker_instance_id.has_value();
    const WorkerScope scope = one ? WorkerScope::instance : WorkerScope::worker;
    const std::string& name = one ? *command.worker_instance_id : *command.worker_id;
    return Command::make<SetWorkerModeBody>(
        WorkerModeRow{.key = worker_mode_key(scope, command.namespace_name, name), .mode = command.mode});
}

}  // namespace flowfabric
