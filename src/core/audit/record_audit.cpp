#include "core/audit/record_audit.hpp"

#include "core/base/names.hpp"
#include "core/command/contents.hpp"

namespace flowfabric {
namespace {

class RecordAuditBody final : public CommandBody {
  public:
    explicit RecordAuditBody(AuditEvent event) : event_(std::move(event)) {}

    CommandTraits traits() const override {
        return {.name = "record_audit", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override {
        return sizeof(*this) + contents_of(event_.actor, event_.action, event_.subject, event_.request_id);
    }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows&) const override {}

    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        AuditEvent event = event_;
        event.occurred_at_ms = context.set.now_ms;
        context.set.events.of<AuditEvent>().push_back(std::move(event));
        return Answer::of<AuditRecorded>({});
    }

  private:
    AuditEvent event_;
};

void drop_unfit(std::optional<std::string>& text) {
    if (text && !check_line("audit", *text, max_line_bytes)) text.reset();
}

}  // namespace

Command record_audit(AuditEvent event) {
    drop_unfit(event.subject);
    drop_unfit(event.request_id);
    return Command::make<RecordAuditBody>(std::move(event));
}

}  // namespace flowfabric
