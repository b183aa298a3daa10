#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/struct_type.hpp"
#include "engine/queries/queries.hpp"
#include "store/memory/backend.hpp"
#include "unit/api/samples.hpp"

// The front door of reads: what the listings say of limits is what it enforces.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using namespace std::string_literals;
using ::testing::StartsWith;
using Form = FieldRule::Form;

class QueryLimitsTest : public ::testing::Test {
  protected:
    template <QueryType Q>
    std::optional<EngineError> fault_of(const json::object& document) {
        auto query = from_json<Q>(document);
        if (!query) return query.error();
        const Settings settings{.backend = BackendTag::memory, .master_key = MasterKey{}};
        const auto answer = answer_any(*std::move(query), *reader_, {.settings = settings});
        if (answer) return std::nullopt;
        return std::get<EngineError>(answer.error());
    }

    template <QueryType Q>
    void expect_refusal(const Member& member, const json::value& value) {
        json::object document = test::sample_of(Q::operation.name);
        document[member.name] = value;
        const auto fault = fault_of<Q>(document);
        ASSERT_TRUE(fault) << Q::operation.name << '.' << member.name << " accepts " << value;
        EXPECT_EQ(fault->kind, ErrorKind::invalid_input) << to_string(*fault);
        EXPECT_THAT(fault->detail, StartsWith(std::string(member.name))) << Q::operation.name;
    }

    template <QueryType Q>
    void check_member(const Member& member) {
        const FieldRule& rule = member.rule;
        if (rule.form == Form::identity || rule.form == Form::lane) {
            for (const std::string& text : {""s, "a\nb"s, "a\0b"s, "\xFF"s, std::string(rule.max + 1, 'x')}) {
                expect_refusal<Q>(member, json::string(text));
            }
        } else if (rule.form == Form::partition) {
            expect_refusal<Q>(member, rule.max + 1);
            expect_refusal<Q>(member, -1);
        } else if (rule.max_items != FieldRule::no_limit) {
            json::array items;
            for (std::uint64_t i = 0; i <= rule.max_items; ++i) items.emplace_back("x");
            expect_refusal<Q>(member, items);
        }
    }

    std::shared_ptr<Backend> store_ = memory::make_backend();
    std::unique_ptr<StoreReader> reader_ = *store_->open_reader();
};

TEST_F(QueryLimitsTest, EverySampleIsAnswered) {
    test::each_query([&]<class Q>(std::type_identity<Q>) {
        const auto fault = fault_of<Q>(test::sample_of(Q::operation.name));
        const bool nothing_there = fault && family_of(fault->kind) == ErrorFamily::not_found;
        EXPECT_TRUE(!fault || nothing_there) << Q::operation.name << ' ' << to_string(*fault);
    });
}

TEST_F(QueryLimitsTest, WhatIsBeyondALimitIsRefusedByName) {
    test::each_query([&]<class Q>(std::type_identity<Q>) {
        for (const Member& member : dynamic_cast<const StructType&>(type_of<Q>()).members()) check_member<Q>(member);
    });
}

TEST_F(QueryLimitsTest, ACursorHasToFitItsQuery) {
    json::object document = test::sample_of("list_executions");
    document["partition"] = 85;
    const auto fault = fault_of<ListExecutions>(document);
    ASSERT_TRUE(fault);
    EXPECT_EQ(*fault, invalid_input("cursor", "partition_mismatch: of another partition"));
}

}  // namespace
}  // namespace flowfabric::api
