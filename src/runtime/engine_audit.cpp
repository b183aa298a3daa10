#include "core/audit/record_audit.hpp"
#include "core/token/token.hpp"
#include "runtime/engine_impl.hpp"

// What a server asks of its engine for its callers: who they are, and that what they do is kept.
namespace flowfabric {

Result<AcceptedTokens> Engine::accepted_tokens() {
    return impl_->readers().run([](StoreReader& reader) -> QueryResult<AcceptedTokens> {
        const auto rows = reader.all<ApiTokenRow>();
        if (!rows) return rows.error();
        const auto now = reader.now();
        if (!now) return now.error();
        AcceptedTokens accepted;
        for (const ApiTokenRow& row : *rows) accept(row, *now, accepted);
        return accepted;
    });
}

void Engine::record_audit(AuditEvent event, std::function<void(Result<void>)> done) {
    impl_->submit_admitted(
        flowfabric::record_audit(std::move(event)),
        [done = std::move(done)](const Result<Answer>& answer) {
            done(answer ? Result<void>() : Result<void>(answer.error()));
        },
        GiveOn::executor);
}

}  // namespace flowfabric
