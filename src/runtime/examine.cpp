#include "runtime/examine.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/saturating.hpp"
#include "core/signing/stored_secret.hpp"
#include "flowfabric/engine.hpp"
#include "runtime/open_store.hpp"
#include "store/fault.hpp"

namespace flowfabric {
namespace {

using Level = Finding::Level;

// Twice as long as its reconciler may sleep.
std::int64_t late_after_ms(const DueRows& rows) {
    const bool looks_each_minute = &rows == &due_rows<RetentionRow> || &rows == &due_rows<StreamMetaRow>;
    if (looks_each_minute) return 120'000;
    return &rows == &due_rows<BudgetRow> ? 30'000 : 10'000;
}

std::string first_of(const Due& due) {
    return due.rows.empty() ? due.executions.front().to_string() : due.rows.front().id.to_string();
}

Finding lag_of(const DueRows& rows, const StoreResult<Due>& due) {
    Finding finding{Level::fine, std::string(rows.name) + " lag", "nothing is due", ""};
    if (!due) {
        finding.level = Level::advice;
        finding.detail = "not checked: " + due.error().detail;
        finding.remedy = "see to what is reported above";
        return finding;
    }
    if (!due->oldest_at_ms) return finding;
    const std::int64_t lag = std::max<std::int64_t>(saturating_difference(due->now_ms, *due->oldest_at_ms), 0);
    finding.detail = first_of(*due) + " has been due for " + std::to_string(lag) + " ms";
    const std::int64_t late = late_after_ms(rows);
    if (lag < late) return finding;
    finding.level = lag < 6 * late ? Level::advice : Level::danger;
    finding.remedy = "run an engine with reconcilers, `ff server` or `ff worker`, and see its log";
    return finding;
}

Finding judge_secrets(const StoreResult<std::vector<SigningKeyRow>>& keys) {
    Finding finding{Level::fine, "signing secrets", "", ""};
    if (!keys) {
        finding.level = Level::advice;
        finding.detail = "not checked: " + keys.error().detail;
        finding.remedy = "see to what is reported above";
        return finding;
    }
    std::string plain;
    for (const SigningKeyRow& key : *keys) {
        if (!is_sealed(key.secret.bytes)) plain += (plain.empty() ? "" : ", ") + key.key.kid;
    }
    if (plain.empty()) {
        finding.detail = keys->empty() ? "there are none yet" : "all are sealed";
        return finding;
    }
    const bool some_sealed =
        std::ranges::any_of(*keys, [](const SigningKeyRow& key) { return is_sealed(key.secret.bytes); });
    finding.level = some_sealed ? Level::danger : Level::advice;
    finding.detail = "in plain, for everybody who can read the database: " + plain;
    finding.remedy = "set FF_MASTER_KEY or FF_MASTER_KEY_FILE for every process, then run `ff keys reseal`";
    return finding;
}

Finding examine_secrets(Backend& backend) {
    const auto reader = backend.open_reader();
    return judge_secrets(reader ? (*reader)->all<SigningKeyRow>() : reader.error());
}

}  // namespace

std::vector<Finding> examine_lag(Backend& backend) {
    const auto reader = backend.open_reader();
    std::vector<Finding> findings;
    for (const DueRows* rows : all_due_rows()) {
        // A flow stays due until the last of its members has gone.
        if (rows->subject == DueSubject::flow) continue;
        findings.push_back(lag_of(*rows, reader ? (*reader)->select_due(*rows, 1, {}) : reader.error()));
    }
    return findings;
}

Result<std::vector<Finding>> examine(const std::string& store) {
    auto backend = open_store(store);
    if (!backend) return backend.error();
    auto findings = (*backend)->examine();
    if (!findings) return to_engine_error(findings.error());
    if ((*backend)->check()) {
        findings->push_back(examine_secrets(**backend));
        std::ranges::move(examine_lag(**backend), std::back_inserter(*findings));
    }
    return std::move(*findings);
}

}  // namespace flowfabric
