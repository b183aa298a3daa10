#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/waitpoint.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {
namespace {

class CreateWaitpointBody final : public OnLease {
  public:
    CreateWaitpointBody(const HeldLease& lease, const WaitpointId& waitpoint_id, CreateWaitpoint command)
        : OnLease(lease), waitpoint_id_(waitpoint_id), command_(std::move(command)) {}

    CommandTraits traits() const override { return {.name = "create_waitpoint"}; }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.waitpoint_key); }
    void name_rows(NamedRows& rows) const override { rows.side.of<SigningKeyRow>().all = true; }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (auto refused = refuse_by_fence(transition, lease(), OverrideRule::never)) return *refused;
        const std::int64_t now = transition.now();
        const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, now);
        if (!keyring) return keyring.error();
        WaitpointRow waitpoint =
            new_waitpoint(entry.row, waitpoint_id_, command_.waitpoint_key, keyring->active(), now);
        waitpoint.expires_at_ms = saturating_add(now, command_.expires_in_ms);
        context.set.side.of<WaitpointRow>().put(std::move(waitpoint));
        transition.expect_signals();
        return Answer::of<PendingWaitpoint>(
            {waitpoint_id_, waitpoint_token(keyring->active(), entry.row.id, waitpoint_id_)});
    }

  private:
    WaitpointId waitpoint_id_;
    CreateWaitpoint command_;
};

}  // namespace

template <>
Result<Command> admit(CreateWaitpoint command, const Settings& settings, const IdSource& ids) {
    if (auto checked = check_waitpoint_key(command.waitpoint_key); !checked) return checked.error();
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    return Command::make<CreateWaitpointBody>(*lease, WaitpointId{ids.at(0)}, std::move(command));
}

}  // namespace flowfabric
