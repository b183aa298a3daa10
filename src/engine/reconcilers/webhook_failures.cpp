#include "core/webhook/webhook.hpp"
#include "engine/reconcilers/reconciler.hpp"

namespace flowfabric {
namespace {

StoreResult<Findings> look_for_old_failures(StoreReader& reader, const LookArguments& arguments) {
    const auto now = reader.now();
    if (!now) return now.error();
    const auto failures = reader.first<WebhookFailureRow>(arguments.batch);
    if (!failures) return failures.error();
    Findings found{.now_ms = *now, .commands = {}};
    for (const WebhookFailureRow& failure : *failures) {
        if (failure.due_at_ms <= *now) found.commands.push_back(forget_webhook_failure(failure.key));
    }
    return found;
}

}  // namespace

// Events that webhooks have set aside long ago.
ReconcilerSpec webhook_failures() {
    return {.name = "webhook_failures", .interval_ms = 60'000, .batch = 500, .look = look_for_old_failures};
}

}  // namespace flowfabric
