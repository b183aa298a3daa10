#include <boost/json.hpp>

#include "core/command/decisions.hpp"

namespace flowfabric {

// Other commands of the same batch keep to what held when it began, as if they came first.
Result<Answer> decide(const AdmittedSetting& command, DecisionContext& context) {
    WorkingSet& set = context.set;
    auto& rows = set.side.of<SettingRow>();
    const auto spec = find_setting(command.name);
    if (!spec) return spec.error();
    const SettingRow* row = rows.find({command.name});
    SettingChanged answer{
        .name = command.name, .previous = row != nullptr ? row->value : default_text(**spec), .value = command.value};
    if (row != nullptr && row->value == command.value) return Answer{answer};
    rows.put({.key = {command.name},
              .value = command.value,
              .revision = row != nullptr ? row->revision + 1 : 1,
              .updated_at_ms = set.now_ms});
    if (answer.previous == command.value) return Answer{answer};
    const boost::json::object details{{"name", command.name}, {"from", answer.previous}, {"to", command.value}};
    set.events.of<OperatorEvent>().push_back({.event_id = 0,
                                              .partition_key = 0,
                                              .subject_id = std::nullopt,
                                              .namespace_name = std::nullopt,
                                              .instance_tag = std::nullopt,
                                              .subject_kind = SubjectKind::setting,
                                              .event_type = OperatorEventType::setting_changed,
                                              .details = {boost::json::serialize(details)},
                                              .occurred_at_ms = set.now_ms});
    return Answer{answer};
}

}  // namespace flowfabric
