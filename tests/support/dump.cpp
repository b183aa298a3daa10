#include "support/dump.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <concepts>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/rows/event_rows.hpp"
#include "flowfabric/state.hpp"

namespace flowfabric::test {
namespace {

constexpr std::uint32_t page = 1000;

template <class T>
T require(StoreResult<T> result) {
    if (!result) throw std::runtime_error(result.error().detail);
    return std::move(*result);
}

// ---- the same form on every store -------------------------------------------------------------------------------

boost::json::value with_sorted_keys(const boost::json::value& value) {
    if (const auto* array = value.if_array()) {
        boost::json::array sorted;
        for (const auto& item : *array) sorted.push_back(with_sorted_keys(item));
        return sorted;
    }
    if (const auto* object = value.if_object()) {
        std::map<std::string, boost::json::value> fields;
        for (const auto& [key, field] : *object) fields.emplace(key, with_sorted_keys(field));
        return boost::json::object(fields.begin(), fields.end());
    }
    // A number's spelling is not its value: 2.0 may come back as 2.
    if (value.is_number()) return value.to_number<double>();
    return value;
}

void normalise(Json& json) {
    json.text = boost::json::serialize(with_sorted_keys(boost::json::parse(json.text)));
}

std::map<std::int32_t, ClassSpec> numbered(const std::vector<ClaimClass>& classes) {
    std::vector<ClassSpec> specs;
    for (const ClaimClass& stored : classes) specs.push_back({stored.lane_id, stored.required_capabilities});
    std::ranges::sort(specs);
    std::map<std::int32_t, ClassSpec> result;
    for (ClassSpec& spec : specs) result.emplace(static_cast<std::int32_t>(result.size()) + 1, std::move(spec));
    return result;
}

// Where the stored class stands among the numbered ones; 0 for a class that the store does not have.
std::int32_t number_of(std::int32_t class_id, const std::vector<ClaimClass>& classes, const Dump& dump) {
    const auto stored = std::ranges::find(classes, class_id, &ClaimClass::class_id);
    if (stored == classes.end()) return 0;
    const ClassSpec spec{stored->lane_id, stored->required_capabilities};
    const auto numbered = std::ranges::find(dump.classes, spec, [](const auto& entry) { return entry.second; });
    return numbered->first;
}

// Our own writers are done; another engine's may take a moment.
std::int64_t decided(StoreReader& reader, Channel channel) {
    for (;;) {
        const Watermark watermark = require(reader.watermark(channel));
        if (watermark.decided == watermark.drawn) return watermark.drawn;
        std::this_thread::yield();
    }
}

template <class EventType>
std::vector<EventType> events_of(StoreReader& reader, Channel channel) {
    const std::int64_t watermark = decided(reader, channel);
    std::vector<EventType> events;
    for (std::int64_t after = 0;;) {
        const auto found = require(reader.tail(channel, after, watermark, page)).events;
        for (const Event& event : found) {
            events.push_back(std::get<EventType>(event));
            after = events.back().event_id;
        }
        if (found.size() < page) break;
    }
    for (std::size_t i = 0; i < events.size(); ++i) events[i].event_id = static_cast<std::int64_t>(i) + 1;
    return events;
}

// ---- text -------------------------------------------------------------------------------------------------------

std::string text_of(const std::string& value) {
    return "'" + value + "'";
}
std::string text_of(const Json& value) {
    return value.text;
}
std::string text_of(const Uuid& value) {
    return value.to_string();
}
template <class Tag>
std::string text_of(const UuidOf<Tag>& value) {
    return value.to_string();
}
std::string text_of(std::integral auto value) {
    return std::to_string(value);
}
template <class E>
    requires std::is_enum_v<E>
std::string text_of(E value) {
    return std::string(to_string(value));
}
template <class E>
std::string text_of(const Open<E>& value) {
    return std::string(value.text());
}
std::string text_of(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text.append(text.empty() ? "" : ",").append(value);
    return "[" + text + "]";
}
std::string text_of(const TextList& list) {
    return text_of(list.values);
}
std::string text_of(const Binary& value) {
    std::string text = "0x";
    for (const char byte : value.bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        text += digits[static_cast<unsigned char>(byte) >> 4U];
        text += digits[static_cast<unsigned char>(byte) & 0xFU];
    }
    return text;
}
template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? text_of(*value) : "null";
}

class Lines {
  public:
    // A visitor for visit_*_columns that writes under this heading.
    auto columns(std::string heading) {
        return [this, heading = std::move(heading)](std::string_view name, const auto& value, auto&&...) {
            add(heading + "." + std::string(name), text_of(value));
        };
    }
    void add(const std::string& heading, const std::string& text) { lines_.push_back(heading + " = " + text); }
    std::vector<std::string> take() && { return std::move(lines_); }

  private:
    std::vector<std::string> lines_;
};

template <class Key>
std::string name_of(const Key& key) {
    std::string name;
    visit_columns(key, [&](const char*, const auto& field) { name += (name.empty() ? "" : "/") + text_of(field); });
    return name;
}

std::vector<std::string> lines_of(const Dump& dump) {
    Lines lines;
    for (const auto& [id, stored] : dump.executions) {
        const std::string name = id.to_string();
        visit_execution_columns(stored.row, lines.columns(name));
        lines.add(name + ".input", text_of(stored.input));
        for (const auto& [ref, input] : stored.flow_inputs) lines.add(name + ".input " + ref, text_of(input));
        lines.add(name + ".result", text_of(stored.result));
        for (const AttemptRow& attempt : stored.attempts) {
            visit_attempt_columns(attempt, lines.columns(name + ".attempt " + std::to_string(attempt.attempt_index)));
        }
    }
    for (const auto& [key, row] : dump.idempotency_keys) {
        lines.add("key " + key.namespace_name + "/" + key.key,
                  row.execution_id.to_string() + " until " + std::to_string(row.expires_at_ms));
    }
    for (const auto& [lane_id, counts] : dump.lane_counts) {
        visit_counts(lines.columns("counts of " + lane_id), counts);
    }
    for (const auto& [number, spec] : dump.classes) {
        lines.add("class " + std::to_string(number), spec.lane_id + text_of(spec.required_capabilities));
    }
    for (const LeaseEvent& event : dump.lease_events) {
        visit_event_columns(event, lines.columns("lease event " + std::to_string(event.event_id)));
    }
    for (const CompletionEvent& event : dump.completion_events) {
        visit_event_columns(event, lines.columns("completion event " + std::to_string(event.event_id)));
    }
    for (const SignalEvent& event : dump.signal_events) {
        visit_event_columns(event, lines.columns("signal event " + std::to_string(event.event_id)));
    }
    for (const OperatorEvent& event : dump.operator_events) {
        visit_event_columns(event, lines.columns("operator event " + std::to_string(event.event_id)));
    }
    dump.side.each([&]<class Row>(const RowsByKey<Row>& table) {
        for (const auto& [key, row] : table.rows) {
            visit_columns(row, lines.columns(std::string(Row::table) + " " + name_of(key)));
        }
    });
    for (const Channel channel : channels) {
        lines.add("trimmed " + std::string(to_string(channel)),
                  std::to_string(dump.trimmed[static_cast<std::size_t>(channel)]));
    }
    return std::move(lines).take();
}

}  // namespace

Dump::Dump() = default;
Dump::Dump(const Dump&) = default;
Dump::Dump(Dump&&) noexcept = default;
Dump& Dump::operator=(const Dump&) = default;
Dump& Dump::operator=(Dump&&) noexcept = default;
Dump::~Dump() = default;
bool Dump::operator==(const Dump&) const = default;

Dump dump(StoreReader& reader) {
    Dump dump;
    const auto classes = require(reader.routes()).classes;
    dump.classes = numbered(classes);
    for (IdempotencyRow& row : require(reader.idempotency_keys())) dump.idempotency_keys.emplace(row.key, row);

    ListExecutions query{.limit = page};
    for (;;) {
        auto rows = require(reader.list(query));
        for (ExecutionRow& row : rows) {
            const ExecutionId id = row.id;
            row.class_id = number_of(row.class_id, classes, dump);
            normalise(row.tags);
            if (row.policy) normalise(*row.policy);
            dump.executions.emplace(id, StoredExecution{.row = std::move(row),
                                                        .input = require(reader.input(id)),
                                                        .flow_inputs = require(reader.inputs(id)),
                                                        .result = require(reader.result(id)),
                                                        .attempts = require(reader.attempts(id, std::nullopt, page))});
            query.after = id;
        }
        if (rows.size() < page) break;
    }
    for (const LaneCountsRow& row : require(reader.lane_counts("", page))) {
        dump.lane_counts.emplace(row.lane_id, row.counts);
    }
    dump.lease_events = events_of<LeaseEvent>(reader, Channel::lease);
    dump.completion_events = events_of<CompletionEvent>(reader, Channel::completion);
    dump.signal_events = events_of<SignalEvent>(reader, Channel::signal);
    dump.operator_events = events_of<OperatorEvent>(reader, Channel::operators);
    for (OperatorEvent& event : dump.operator_events) normalise(event.details);
    dump.side.each([&]<class Row>(RowsByKey<Row>& table) {
        for (Row& row : require(reader.all<Row>())) {
            visit_columns(row, [](const char*, auto& field) {
                if constexpr (std::same_as<std::remove_cvref_t<decltype(field)>, Json>) normalise(field);
            });
            table.rows.emplace(row.key, row);
        }
    });
    for (const Channel channel : channels) {
        dump.trimmed[static_cast<std::size_t>(channel)] = require(reader.tail(channel, 0, 0, 1)).trimmed;
    }
    return dump;
}

Dump dump(Backend& backend) {
    return dump(*require(backend.open_reader()));
}

std::string to_text(const Dump& dump) {
    std::string text;
    for (const std::string& line : lines_of(dump)) text.append(line).append("\n");
    return text;
}

std::string difference(const Dump& expected, const Dump& actual) {
    auto before = lines_of(expected);
    auto after = lines_of(actual);
    std::ranges::sort(before);
    std::ranges::sort(after);
    std::vector<std::string> marked;
    std::ranges::set_difference(before, after, std::back_inserter(marked));
    for (std::string& line : marked) line.append("  -");
    const auto added = static_cast<std::ptrdiff_t>(marked.size());
    std::ranges::set_difference(after, before, std::back_inserter(marked));
    for (auto line = marked.begin() + added; line != marked.end(); ++line) line->append("  +");
    std::ranges::sort(marked);
    std::string text;
    for (const std::string& line : marked) text.append(line).append("\n");
    return text;
}

}  // namespace flowfabric::test
