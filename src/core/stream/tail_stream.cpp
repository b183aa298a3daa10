#include "core/stream/tail_stream.hpp"

#include "core/command/admission.hpp"

namespace flowfabric {
namespace {

// Carries a tail from the front door to whatever waits for it. In a batch, where nothing waits, no frame has come yet.
class TailStreamBody final : public CommandBody {
  public:
    explicit TailStreamBody(const TailStream& command) : command_(command) {}

    CommandTraits traits() const override { return {.name = "tail_stream", .on_tables = true}; }
    std::size_t bytes() const override { return sizeof(*this); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows&) const override {}
    Result<Answer> decide(BatchRows&, DecisionContext&) const override { return Answer::of<StreamPage>({}); }
    std::string subject() const override { return command_.execution_id.to_string(); }
    const TailStream* tail() const override { return &command_; }

  private:
    TailStream command_;
};

}  // namespace

Result<StreamKey> stream_key(const ExecutionId& id, std::uint32_t attempt_index) {
    if (auto checked = check_partition(id); !checked) return checked.error();
    if (auto checked = check_range("attempt_index", attempt_index, 0, max_attempt_index); !checked) {
        return checked.error();
    }
    return StreamKey{id, static_cast<std::int32_t>(attempt_index)};
}

template <>
Result<Command> admit(TailStream command, const Settings&, const IdSource&) {
    if (auto key = stream_key(command.execution_id, command.attempt_index); !key) return key.error();
    Checks check;
    check(check_range("block_ms", command.block_ms, 0, max_tail_block_ms));
    check(check_range("limit", command.limit, 1, max_stream_frames));
    check.require(is_known(command.visibility), "visibility", "is not one of its values");
    if (check.fault()) return *check.fault();
    return Command::make<TailStreamBody>(command);
}

}  // namespace flowfabric
