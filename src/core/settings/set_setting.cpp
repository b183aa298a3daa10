#include <boost/json.hpp>

#include "core/command/command.hpp"
#include "core/command/contents.hpp"
#include "core/settings/store_settings.hpp"
#include "flowfabric/setting.hpp"

namespace flowfabric {
namespace {

class SetSettingBody final : public CommandBody {
  public:
    // The value is in its normal form.
    explicit SetSettingBody(SetSetting command) : command_(std::move(command)) {}

    CommandTraits traits() const override {
        return {.name = "set_setting", .urgency = Urgency::bulk, .on_tables = true};
    }
    std::size_t bytes() const override { return sizeof(*this) + contents_of(command_.name, command_.value); }
    std::span<const ExecutionId> executions() const override { return {}; }
    void name_rows(NamedRows& rows) const override { rows.side.of<SettingRow>().keys.push_back({command_.name}); }

    // Other commands of the same batch keep to what held when it began, as if they came first.
    Result<Answer> decide(BatchRows&, DecisionContext& context) const override {
        WorkingSet& set = context.set;
        auto& settings = set.side.of<SettingRow>();
        const auto spec = find_setting(command_.name);
        if (!spec) return spec.error();
        const SettingRow* row = settings.find({command_.name});
        const SettingChanged answer{.name = command_.name,
                                    .previous = row != nullptr ? row->value : default_text(**spec),
                                    .value = command_.value};
        if (row != nullptr && row->value == command_.value) return Answer::of<SettingChanged>(answer);
        settings.put({.key = {command_.name},
                      .value = command_.value,
                      .revision = row != nullptr ? row->revision + 1 : 1,
                      .updated_at_ms = set.now_ms});
        if (answer.previous == command_.value) return Answer::of<SettingChanged>(answer);
        const boost::json::object details{{"name", command_.name}, {"from", answer.previous}, {"to", command_.value}};
        set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                                  .partition_key = 0,
                                                  .subject_id = std::nullopt,
                                                  .namespace_name = std::nullopt,
                                                  .instance_tag = std::nullopt,
                                                  .subject_kind = SubjectKind::setting,
                                                  .event_type = OperatorEventType::setting_changed,
                                                  .details = {boost::json::serialize(details)},
                                                  .occurred_at_ms = set.now_ms});
        return Answer::of<SettingChanged>(answer);
    }

  private:
    SetSetting command_;
};

}  // namespace

template <>
Result<Command> admit(SetSetting command, const Settings&, const IdSource&) {
    const auto spec = find_setting(command.name);
    if (!spec) return spec.error();
    auto value = normal_text(**spec, command.value);
    if (!value) return value.error();
    command.value = std::move(*value);
    return Command::make<SetSettingBody>(std::move(command));
}

}  // namespace flowfabric
