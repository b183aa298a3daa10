#include "api/operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/struct_type.hpp"
#include "api/types.hpp"
#include "flowfabric/health.hpp"
#include "flowfabric/subscription.hpp"
#include "unit/api/samples.hpp"

// What holds for every operation of the table, whatever it does.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using ::testing::StartsWith;

bool is_snake_case(std::string_view name) {
    const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    return !name.empty() && name.front() >= 'a' && name.front() <= 'z' && name.back() != '_' &&
           name.find("__") == std::string_view::npos && std::ranges::all_of(name, is_part);
}

bool is_sentence(std::string_view text) {
    return std::ranges::count(text, ' ') > 1 && text.ends_with('.') && text.find('\n') == std::string_view::npos;
}

// The struct itself and all that it carries.
void collect_structs(const Type& type, std::set<const StructType*>& into) {
    if (const auto* optional = dynamic_cast<const OptionalType*>(&type)) return collect_structs(optional->type(), into);
    if (const auto* list = dynamic_cast<const ListType*>(&type)) return collect_structs(list->element(), into);
    if (const auto* map = dynamic_cast<const MapType*>(&type)) return collect_structs(map->element(), into);
    if (const auto* variant = dynamic_cast<const VariantType*>(&type)) {
        for (const auto& alternative : variant->alternatives()) collect_structs(*alternative.type, into);
    }
    const auto* fields = dynamic_cast<const StructType*>(&type);
    if (fields == nullptr || !into.insert(fields).second) return;
    for (const Member& member : fields->members()) collect_structs(*member.type, into);
}

std::set<const StructType*> all_structs() {
    std::set<const StructType*> structs;
    for (const OperationEntry& entry : operations()) {
        collect_structs(*entry.request, structs);
        collect_structs(*entry.answer, structs);
    }
    return structs;
}

template <class Asked>
const StructType& request_of() {
    return dynamic_cast<const StructType&>(type_of<Asked>());
}

// Every field of `part` stands in `whole` with the same value.
bool contains(const json::value& whole, const json::value& part) {
    if (part.is_object() && whole.is_object()) {
        return std::ranges::all_of(part.get_object(), [&](const auto& field) {
            const auto* found = whole.get_object().if_contains(field.key());
            return found != nullptr && contains(*found, field.value());
        });
    }
    if (part.is_array() && whole.is_array()) {
        return std::ranges::equal(whole.get_array(), part.get_array(), contains);
    }
    return whole == part;
}

TEST(Operations, TheTableHasEveryCommandAndEveryQueryOnce) {
    EXPECT_EQ(operations().size(), std::variant_size_v<Commands> + std::variant_size_v<Queries>);
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        const OperationEntry* entry = find_operation(Asked::operation.name);
        ASSERT_NE(entry, nullptr) << Asked::operation.name;
        EXPECT_EQ(entry->operation.summary, Asked::operation.summary);
        EXPECT_EQ(entry->changes, CommandType<Asked>);
        EXPECT_EQ(entry->request, &type_of<Asked>());
        EXPECT_EQ(entry->answer, &type_of<typename Asked::Answer>());
    });
    EXPECT_EQ(find_operation("complet"), nullptr);
    EXPECT_EQ(find_operation(""), nullptr);
}

TEST(Operations, NamesAreUniqueAndSnakeCaseAndSummariesOneSentence) {
    std::set<std::string_view> names;
    for (const OperationEntry& entry : operations()) {
        EXPECT_TRUE(names.insert(entry.operation.name).second) << entry.operation.name;
        EXPECT_TRUE(is_snake_case(entry.operation.name)) << entry.operation.name;
        EXPECT_TRUE(is_sentence(entry.operation.summary)) << entry.operation.name;
    }
}

TEST(Operations, EveryFieldHasANameOfItsOwnAndASentence) {
    const auto structs = all_structs();
    EXPECT_GT(structs.size(), operations().size());
    for (const StructType* type : structs) {
        SCOPED_TRACE(type->name());
        std::set<std::string> names;
        for (const Member& member : type->members()) {
            EXPECT_TRUE(is_snake_case(member.name)) << member.name;
            EXPECT_TRUE(is_sentence(member.summary)) << member.name;
            EXPECT_TRUE(names.insert(std::string(member.name)).second) << member.name;
            if (member.rule.form == FieldRule::Form::payload) {
                EXPECT_TRUE(names.insert(std::string(member.name) + "_b64").second) << member.name;
            }
            EXPECT_LE(member.rule.min, member.rule.max) << member.name;
            EXPECT_LE(member.rule.min_items, member.rule.max_items) << member.name;
        }
        for (const Member& member : type->members()) {
            const std::string encoding(member.rule.encoding);
            EXPECT_TRUE(encoding.empty() || names.contains(encoding)) << member.name;
        }
    }
}

TEST(Operations, EveryTypeHasANameOfItsOwn) {
    std::set<const StructType*> structs = all_structs();
    for (const Type* type : {&type_of<Event>(), &type_of<StreamDisconnected>(), &type_of<std::vector<Finding>>(),
                             &type_of<std::vector<ReconcilerView>>()}) {
        collect_structs(*type, structs);
    }
    std::set<std::string_view> names;
    for (const StructType* type : structs) EXPECT_TRUE(names.insert(type->name()).second) << type->name();
}

// By the specification both answers have the same word for it, and the types of the two differ.
TEST(Operations, TwoAnswersMayUseTheSameWord) {
    const auto named = [](const VariantType& answer) -> const StructType& {
        const auto found =
            std::ranges::find(answer.alternatives(), "AlreadySatisfied", &VariantType::Alternative::name);
        return dynamic_cast<const StructType&>(*found->type);
    };
    EXPECT_EQ(named(dynamic_cast<const VariantType&>(type_of<Revocation>())).name(), "NothingToRevoke");
    EXPECT_EQ(named(dynamic_cast<const VariantType&>(type_of<SuspendOutcome>())).name(), "ConditionAlreadyMet");
}

TEST(Operations, TheAlternativesOfAnAnswerHaveNamesOfTheirOwn) {
    for (const OperationEntry& entry : operations()) {
        const auto* variant = dynamic_cast<const VariantType*>(entry.answer);
        if (variant == nullptr) continue;
        std::set<std::string_view> names;
        for (const auto& alternative : variant->alternatives()) {
            EXPECT_TRUE(names.insert(alternative.name).second) << entry.operation.name << ' ' << alternative.name;
        }
    }
}

// An id, a state and a time are called the same wherever they stand, in and out.
TEST(Operations, TheSameThingHasTheSameName) {
    const std::map<const Type*, std::string> suffixes{{&type_of<ExecutionId>(), "execution_id"},
                                                      {&type_of<FlowId>(), "flow_id"},
                                                      {&type_of<EdgeId>(), "edge_id"},
                                                      {&type_of<LeaseId>(), "lease_id"},
                                                      {&type_of<AttemptId>(), "attempt_id"},
                                                      {&type_of<SuspensionId>(), "suspension_id"},
                                                      {&type_of<WaitpointId>(), "waitpoint_id"},
                                                      {&type_of<SignalId>(), "signal_id"},
                                                      {&type_of<Handle>(), "handle"},
                                                      {&type_of<LeaseRef>(), "lease"},
                                                      {&type_of<LeaseEpoch>(), "lease_epoch"},
                                                      {&type_of<PublicState>(), "public_state"},
                                                      {&type_of<CancellationPolicy>(), "cancellation_policy"},
                                                      {&type_of<SuspensionReason>(), "reason_code"},
                                                      {&type_of<SuspendedPlace>(), "cursor"},
                                                      {&type_of<WorkerPlace>(), "cursor"},
                                                      {&type_of<ExpiredLeasePlace>(), "cursor"},
                                                      {&type_of<SearchPlace>(), "cursor"},
                                                      {&type_of<BulkOperationId>(), "operation_id"}};
    for (const StructType* type : all_structs()) {
        for (const Member& member : type->members()) {
            const auto* optional = dynamic_cast<const OptionalType*>(member.type);
            const auto suffix = suffixes.find(optional == nullptr ? member.type : &optional->type());
            const bool is_place = member.name == "cursor" || member.name == "next_cursor";
            if (suffix != suffixes.end() && !is_place) {
                EXPECT_TRUE(member.name.ends_with(suffix->second)) << type->name() << '.' << member.name;
            }
            const bool is_time = member.name.ends_with("_at") || member.name.find("_at_") != std::string_view::npos;
            EXPECT_TRUE(!is_time || member.name.ends_with("_at_ms")) << type->name() << '.' << member.name;
        }
    }
}

TEST(Operations, WhatARequestMayLackHasADefault) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        json::object document = test::sample_of(Asked::operation.name);
        for (const Member& member : request_of<Asked>().members()) {
            if (!member.rule.is_required) document.erase(member.name);
        }
        const auto request = from_json<Asked>(document);
        ASSERT_TRUE(request) << Asked::operation.name << ' ' << to_string(request.error());
        const json::object written = to_json(*request).as_object();
        for (const Member& member : request_of<Asked>().members()) {
            if (member.rule.is_required || member.rule.form == FieldRule::Form::payload) continue;
            SCOPED_TRACE(std::string(Asked::operation.name) + '.' + std::string(member.name));
            const json::value* given = written.if_contains(member.name);
            EXPECT_EQ(given == nullptr ? std::nullopt : std::optional(*given), member.default_value);
        }
    });
}

TEST(Operations, AnEmptyObjectLacksTheFirstRequiredFieldOrNone) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        SCOPED_TRACE(Asked::operation.name);
        const auto& members = request_of<Asked>().members();
        const auto required = std::ranges::find_if(members, [](const Member& m) { return m.rule.is_required; });
        const auto command = from_json<Asked>(json::object{});
        ASSERT_EQ(command.has_value(), required == members.end());
        if (command) return;
        EXPECT_EQ(command.error(), invalid_input(required->name, "is required"));
    });
}

TEST(Operations, ARequiredFieldThatIsNullOrMissingIsNamed) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        for (const Member& member : request_of<Asked>().members()) {
            if (!member.rule.is_required || member.rule.form == FieldRule::Form::payload) continue;
            json::object document = test::sample_of(Asked::operation.name);
            document[member.name] = nullptr;
            for (int round = 0; round < 2; ++round) {
                const auto command = from_json<Asked>(document);
                ASSERT_FALSE(command) << Asked::operation.name << '.' << member.name;
                EXPECT_EQ(command.error(), invalid_input(member.name, "is required")) << Asked::operation.name;
                document.erase(member.name);
            }
        }
    });
}

TEST(Operations, AnUnknownFieldIsRefusedByNameOrIgnored) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        SCOPED_TRACE(Asked::operation.name);
        json::object document = test::sample_of(Asked::operation.name);
        const json::value known = to_json(*from_json<Asked>(document));
        document["now_ms"] = 7;
        const auto refused = from_json<Asked>(document);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error(), invalid_input("now_ms", "is not a known field"));
        const auto ignored = from_json<Asked>(document, {.ignore_unknown_fields = true});
        ASSERT_TRUE(ignored) << to_string(ignored.error());
        EXPECT_EQ(to_json(*ignored), known);
    });
}

TEST(Operations, EverySampleComesBackAsItWas) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        SCOPED_TRACE(Asked::operation.name);
        const json::value sample = test::sample_of(Asked::operation.name);
        const auto command = from_json<Asked>(sample);
        ASSERT_TRUE(command) << to_string(command.error());
        const json::value written = to_json(*command);
        EXPECT_TRUE(contains(written, sample)) << written;
        const auto again = from_json<Asked>(written);
        ASSERT_TRUE(again) << to_string(again.error());
        EXPECT_EQ(to_json(*again), written);
    });
    EXPECT_EQ(test::samples.size(), operations().size());
}

TEST(Operations, EveryAnswerComesBackAsItWas) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        SCOPED_TRACE(Asked::operation.name);
        const typename Asked::Answer answer{};
        const auto again = from_json<typename Asked::Answer>(to_json(answer));
        ASSERT_TRUE(again) << to_string(again.error());
        EXPECT_TRUE(*again == answer) << to_json(answer);
    });
}

TEST(Operations, WhatIsNoObjectIsRefused) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        for (const json::value& document :
             {json::value(nullptr), json::value(true), json::value(1), json::value("x"), json::value(json::array{})}) {
            const auto command = from_json<Asked>(document);
            ASSERT_FALSE(command) << Asked::operation.name << ' ' << document;
            EXPECT_THAT(command.error().detail, StartsWith("document: must be an object"));
        }
    });
}

// Whatever the type of a field, a value of a kind that it does not have is refused at its place.
TEST(Operations, AFieldOfAnotherKindIsRefusedByName) {
    test::each_operation([]<class Asked>(std::type_identity<Asked>) {
        for (const Member& member : request_of<Asked>().members()) {
            if (member.rule.form == FieldRule::Form::payload) continue;
            json::object document = test::sample_of(Asked::operation.name);
            document[member.name] = json::array{json::array{}};
            const auto command = from_json<Asked>(document);
            ASSERT_FALSE(command) << Asked::operation.name << '.' << member.name;
            EXPECT_THAT(command.error().detail, StartsWith(std::string(member.name))) << Asked::operation.name;
        }
    });
}

}  // namespace
}  // namespace flowfabric::api
