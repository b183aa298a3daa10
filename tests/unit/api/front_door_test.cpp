#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "api/struct_type.hpp"
#include "core/command/command.hpp"
#include "core/suspension/waitpoint.hpp"
#include "unit/api/samples.hpp"
#include "unit/core/fixtures.hpp"

// What the listings say of limits is what the front door enforces: each field of each sample is taken to its limits and
// one step beyond.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using namespace std::string_literals;
using ::testing::HasSubstr;
using Form = FieldRule::Form;

const Settings settings{.backend = BackendTag::memory, .master_key = MasterKey{}};
const IdSource ids{1'700'000'000'000, 1, 2};

// Out of range is the nearest end of the range.
const std::set<std::string> clamped{"priority", "new_priority"};
// Checked where the waitpoint is known, so that the refusal tells nothing of it.
const std::set<std::string> checked_later{"waitpoint_token"};
// A part of the key that is limited.
const std::set<std::string> shorter{"idempotency_suffix"};
// One of a few texts, or with a grammar of its own.
const std::set<std::string> literals{"append_frame.patch_kind",
                                     "close_waitpoint.reason",
                                     "set_flow_tag.key",
                                     "start_bulk_operation.filter.tag_key",
                                     "create_webhook.url",
                                     "update_webhook.url",
                                     "create_execution.traceparent",
                                     "create_execution.tracestate",
                                     "submit_flow.traceparent",
                                     "submit_flow.tracestate",
                                     "submit_flow.nodes.execution.traceparent",
                                     "submit_flow.nodes.execution.tracestate"};
// The flow's id is the key of all its members.
const std::set<std::string> the_flows_own{"submit_flow.nodes.execution.idempotency_key"};
// Have to fit what is there: a setting, or the other nodes of the graph.
const std::set<std::string> names{"set_setting.name", "set_setting.value", "submit_flow.nodes.name",
                                  "submit_flow.edges.from", "submit_flow.edges.to"};

// Are as long as one another.
const std::set<std::string> parallel{"create_budget.dimensions", "create_budget.hard_limits",
                                     "create_budget.soft_limits"};

template <class C>
std::optional<EngineError> fault_of(C command) {
    const auto admitted = admit(std::move(command), settings, ids);
    return admitted ? std::nullopt : std::optional(admitted.error());
}
// What is wrong with a signal is told where its token is known to be good.
std::optional<EngineError> fault_of(DeliverSignal command) {
    const SigningKey key{"k1", Bytes(32, 'a')};
    ExecutionRow row = flowfabric::test::waiting_row();
    row.id = command.execution_id;
    flowfabric::test::Desk desk(row);
    desk.set.side.of<SigningKeyRow>().load({.key = {key.kid}, .secret = {stored_plain(key)}, .active = true});
    desk.set.side.of<WaitpointRow>().load(new_waitpoint(row, command.waitpoint_id, "", key, row.created_at_ms));
    command.waitpoint_token = waitpoint_token(key, command.execution_id, command.waitpoint_id);
    const auto answer = desk.decide(std::move(command));
    return answer ? std::nullopt : std::optional(answer.error());
}

// One command with one of its fields in hand; the field may stand in a struct of the command, or in the first of a list
// of them.
template <class C>
class FieldCheck {
  public:
    FieldCheck(const StructType& type, std::vector<std::string> outer, const Member& member)
        : type_(type), outer_(std::move(outer)), member_(member) {}

    void accepts(const json::value& value) const {
        const auto fault = fault_with(value);
        EXPECT_FALSE(fault) << name() << " refused at its limit: " << to_string(*fault);
    }
    void refuses(const json::value& value, std::string_view why) const {
        const auto fault = fault_with(value);
        ASSERT_TRUE(fault) << name() << " accepted although " << why;
        if (fault->kind != ErrorKind::invalid_input) return;  // the kind says what it is about
        const std::string_view told = member_.name == "lanes" ? "lane" : member_.name;  // each is a lane_id
        EXPECT_THAT(fault->detail, HasSubstr(std::string(told))) << name() << ", because " << why;
    }

    std::string name() const {
        std::string name(C::operation.name);
        for (const std::string& field : outer_) name += '.' + field;
        return name.append(".").append(member_.name);
    }

  private:
    std::optional<EngineError> fault_with(const json::value& value) const {
        json::object document = test::sample_of(C::operation.name);
        json::object* object = &document;
        for (const std::string& field : outer_) {
            json::value& inner = object->at(field);
            object = &(inner.is_array() ? inner.as_array().front() : inner).as_object();
        }
        // A payload in JSON fixes its encoding.
        for (const Member& payload : type_.members()) {
            if (payload.rule.form == Form::payload) object->erase(payload.name);
        }
        (*object)[std::string(member_.name) + (member_.rule.form == Form::payload ? "_b64" : "")] = value;
        auto command = from_json<C>(document);
        if (!command) return command.error();
        return fault_of(*std::move(command));
    }

    const StructType& type_;
    const std::vector<std::string> outer_;
    const Member& member_;
};

const Type& without_optional(const Type& type) {
    const auto* optional = dynamic_cast<const OptionalType*>(&type);
    return optional == nullptr ? type : optional->type();
}

// Null: it is neither a struct nor a list of them.
const StructType* struct_in(const Type& type) {
    const Type& value = without_optional(type);
    const auto* list = dynamic_cast<const ListType*>(&value);
    return dynamic_cast<const StructType*>(list == nullptr ? &value : &list->element());
}

// As the field's type has it: alone, in a list, or under a key.
json::value shaped(const Type& type, const std::string& text) {
    if (dynamic_cast<const ListType*>(&type) != nullptr) return json::array{json::string(text)};
    if (dynamic_cast<const MapType*>(&type) != nullptr) return json::object{{"a.b", text}};
    return json::string(text);
}

template <class Number>
json::value shaped_number(const Type& type, Number number) {
    if (dynamic_cast<const ListType*>(&type) != nullptr) return json::array{number};
    if (dynamic_cast<const MapType*>(&type) != nullptr) return json::object{{"a.b", number}};
    return number;
}

template <class C>
void check_text(const FieldCheck<C>& check, const Member& member) {
    const FieldRule& rule = member.rule;
    const Type& type = without_optional(*member.type);
    if (rule.max != FieldRule::no_limit) {
        const bool at_its_limit = !shorter.contains(std::string(member.name)) && !names.contains(check.name());
        if (at_its_limit) check.accepts(shaped(type, std::string(rule.max, 'x')));
        check.refuses(shaped(type, std::string(rule.max + 1, 'x')), "it is too long");
    }
    check.refuses(shaped(type, "a\0b"s), "it has a NUL");
    check.refuses(shaped(type, "\xFF"), "it is not UTF-8");
    const bool is_line = rule.form == Form::line || rule.form == Form::identity || rule.form == Form::lane;
    if (is_line) check.refuses(shaped(type, "a\nb"), "it has a control character");
    if (rule.form == Form::identity) check.refuses(shaped(type, "a b"), "it has a blank");
    if (rule.form == Form::lane) check.refuses(shaped(type, "ä"), "it is not ASCII");
    const bool must_be_there = rule.form == Form::identity || rule.form == Form::lane;
    if (must_be_there) check.refuses(shaped(type, ""), "it is empty");
}

template <class C>
void check_list(const FieldCheck<C>& check, const FieldRule& rule) {
    const auto items = [](std::uint64_t count) {
        json::array list;
        for (std::uint64_t i = 0; i < count; ++i) list.emplace_back("x" + std::to_string(i));
        return list;
    };
    if (rule.min_items > 0) check.refuses(items(rule.min_items - 1), "it has too few items");
    check.accepts(items(rule.max_items));
    check.refuses(items(rule.max_items + 1), "it has too many items");
}

// What has no limit in its listing has none at the front door.
template <class C>
void check_unlimited(const FieldCheck<C>& check, const Type& type) {
    if (names.contains(check.name())) return;
    const Type& value = without_optional(type);
    if (const auto* number = dynamic_cast<const IntegerType*>(&value)) {
        check.accepts(number->min());
        check.accepts(number->max());
    } else if (dynamic_cast<const TextType*>(&value) != nullptr) {
        for (const std::string& text : {""s, "a\0b"s, "\xFF"s, std::string(max_reason_bytes + 1, 'x')}) {
            check.accepts(shaped(value, text));
        }
    }
}

template <class C>
void check_fields(const StructType& type, const std::vector<std::string>& outer) {
    for (const Member& member : type.members()) {
        const std::string name(member.name);
        const FieldRule& rule = member.rule;
        const FieldCheck<C> check(type, outer, member);
        if (clamped.contains(name) || checked_later.contains(name)) continue;
        if (literals.contains(check.name()) || the_flows_own.contains(check.name())) continue;
        if (parallel.contains(check.name())) continue;
        if (const auto* inner = struct_in(*member.type)) {
            std::vector<std::string> path = outer;
            path.push_back(name);
            check_fields<C>(*inner, path);
        } else if (rule.form == Form::payload) {
            if (rule.max == FieldRule::no_limit) continue;
            // Of the letter A the base64 of three bytes has four.
            check.accepts(json::string(rule.max / 3 * 4, 'A'));
            check.refuses(json::string((rule.max + 3) / 3 * 4, 'A'), "it is too large");
        } else if (rule.form != Form::value && rule.form != Form::cursor) {
            check_text(check, member);
        } else if (rule.form == Form::value && rule.max == FieldRule::no_limit) {
            check_unlimited(check, *member.type);
        } else if (rule.max != FieldRule::no_limit) {
            const auto number = [&](auto value) { return shaped_number(without_optional(*member.type), value); };
            if (rule.min > 0) check.refuses(number(rule.min - 1), "it is too small");
            if (rule.min == 0) check.refuses(number(-1), "it is negative");
            check.accepts(number(rule.min));
            check.accepts(number(rule.max));
            check.refuses(number(rule.max + 1), "it is too large");
        }
        const bool of_texts = rule.max_items != FieldRule::no_limit && rule.form != Form::value;
        if (of_texts) check_list(check, rule);
    }
}

TEST(FrontDoor, AdmitsEverySample) {
    test::each_command([]<class C>(std::type_identity<C>) {
        auto command = from_json<C>(test::sample_of(C::operation.name));
        ASSERT_TRUE(command) << C::operation.name << ' ' << to_string(command.error());
        const auto fault = fault_of(*std::move(command));
        EXPECT_FALSE(fault) << C::operation.name << ' ' << to_string(*fault);
    });
}

TEST(FrontDoor, EnforcesTheLimitsThatAreListed) {
    test::each_command(
        []<class C>(std::type_identity<C>) { check_fields<C>(dynamic_cast<const StructType&>(type_of<C>()), {}); });
}

}  // namespace
}  // namespace flowfabric::api
