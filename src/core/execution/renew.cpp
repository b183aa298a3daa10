#include "core/base/handle_codec.hpp"
#include "core/command/admission.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/transition.hpp"
#include "flowfabric/lease.hpp"

namespace flowfabric {
namespace {

class RenewBody final : public OnLease {
  public:
    RenewBody(const HeldLease& lease, std::uint64_t lease_ttl_ms) : OnLease(lease), lease_ttl_ms_(lease_ttl_ms) {}

    CommandTraits traits() const override { return {.name = "renew"}; }
    std::size_t bytes() const override { return sizeof(*this); }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        Transition transition(entry, context.set);
        if (auto refusal = refuse_by_fence(transition, lease(), OverrideRule::never)) return *refusal;
        transition.renew_lease(lease_ttl_ms_, context.set.settings.emit_renewed_events);
        return Answer::of<Renewed>(
            {.lease_expires_at_ms = *entry.row.lease_expires_at_ms, .lease_epoch = {entry.row.lease_epoch}});
    }

  private:
    std::uint64_t lease_ttl_ms_;
};

}  // namespace

template <>
Result<Command> admit(Renew command, const Settings& settings, const IdSource&) {
    auto lease = held_lease(command.lease, Source::lease_holder, settings);
    if (!lease) return lease.error();
    std::uint64_t ttl = command.lease_ttl_ms.value_or(0);
    if (!command.lease_ttl_ms) {
        const auto* handle = std::get_if<Handle>(&command.lease);
        if (handle == nullptr) return invalid_input("lease_ttl_ms", "is required without a handle");
        ttl = decode_handle(*handle, settings.backend)->lease_ttl_ms;
    }
    if (auto checked = check_ttl(ttl); !checked) return checked.error();
    return Command::make<RenewBody>(*lease, ttl);
}

}  // namespace flowfabric
