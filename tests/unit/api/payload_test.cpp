#include <gtest/gtest.h>

#include "api/type.hpp"
#include "unit/api/samples.hpp"

// Payloads: any JSON value, or bytes as base64.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using namespace std::string_literals;

CreateExecution created_from(const std::string& fields) {
    auto command = from_json<CreateExecution>(json::parse(R"({"execution_kind": "send", )" + fields + "}"));
    if (!command) throw std::runtime_error(to_string(command.error()));
    return *std::move(command);
}

std::string refusal_of(const std::string& fields) {
    const auto command = from_json<CreateExecution>(json::parse(R"({"execution_kind": "send", )" + fields + "}"));
    return command ? "accepted" : command.error().detail;
}

TEST(ApiPayload, AJsonValueIsStoredAsItsText) {
    for (const std::string text : {R"({"a":[1,2]})", "[]", R"("text")", "7", "-1.5", "true", "null", "{}",
                                   "18446744073709551615", "-9223372036854775808"}) {
        SCOPED_TRACE(text);
        const auto command = created_from(R"("input": )" + text);
        EXPECT_EQ(command.input_payload, text);
        EXPECT_EQ(command.payload_encoding, "json");
        const json::value written = to_json(command);
        EXPECT_EQ(written.at("input"), json::parse(text));
        EXPECT_EQ(written.at("payload_encoding"), json::value("json"));
        EXPECT_FALSE(written.as_object().contains("input_b64"));
    }
}

TEST(ApiPayload, Base64IsStoredAsItsBytes) {
    for (const std::string& bytes : {""s, "\0"s, "\xFF\xFE"s, "{\"a\":1}"s, "text"s}) {
        for (const std::string encoding : {"", "raw"}) {
            CreateExecution command;
            command.input_payload = bytes;
            if (!encoding.empty()) command.payload_encoding = encoding;
            const json::value written = to_json(command);
            EXPECT_TRUE(written.as_object().contains("input_b64"));
            EXPECT_FALSE(written.as_object().contains("input"));
            const auto again = from_json<CreateExecution>(written);
            ASSERT_TRUE(again) << to_string(again.error());
            EXPECT_EQ(again->input_payload, bytes);
            EXPECT_EQ(again->payload_encoding, command.payload_encoding);
        }
    }
}

TEST(ApiPayload, WhatOnlyClaimsToBeJsonIsBase64) {
    for (const std::string& bytes : {"{"s, ""s, "\xFF"s, "\"\xFF\""s, "1 2"s, "{\"a\":1,}"s, std::string(100, '[')}) {
        const ClaimedExecution claimed{.payload_encoding = "json", .input_payload = bytes};
        const json::value written = to_json(claimed);
        EXPECT_FALSE(written.as_object().contains("input")) << bytes;
        const auto again = from_json<ClaimedExecution>(written);
        ASSERT_TRUE(again) << to_string(again.error());
        EXPECT_EQ(*again, claimed);
    }
}

TEST(ApiPayload, ThereIsOneFormAtATime) {
    EXPECT_EQ(refusal_of(R"("input": 1, "input_b64": "MQ==")"), "input: is given twice, as JSON and as base64");
    EXPECT_EQ(refusal_of(R"("input": null, "input_b64": "MQ==")"), "input: is given twice, as JSON and as base64");
    EXPECT_EQ(refusal_of(R"("input": 1, "input_b64": null)"), "accepted");
    EXPECT_EQ(created_from(R"("input_b64": null)").input_payload, "");
}

TEST(ApiPayload, Base64MustBeSound) {
    for (const std::string text : {R"("MQ")", R"("MQ=")", R"("M Q=")", R"("-_==")", "7", "[]", "{}"}) {
        EXPECT_EQ(refusal_of(R"("input_b64": )" + text), "input_b64: must be base64 with padding") << text;
    }
}

TEST(ApiPayload, TheEncodingOfAJsonValueIsJson) {
    EXPECT_EQ(refusal_of(R"("input": 1, "payload_encoding": "json")"), "accepted");
    EXPECT_EQ(refusal_of(R"("input": 1, "payload_encoding": null)"), "accepted");
    for (const std::string encoding : {R"("cbor")", R"("")", "7"}) {
        EXPECT_EQ(refusal_of(R"("input": 1, "payload_encoding": )" + encoding),
                  "payload_encoding: must be json, or absent, with a payload that is not base64");
    }
    EXPECT_EQ(created_from(R"("payload_encoding": "cbor", "input_b64": "AQ==")").payload_encoding, "cbor");
}

TEST(ApiPayload, MayBeAbsent) {
    const auto complete = from_json<Complete>(test::document_of(R"({"lease": $handle})"));
    ASSERT_TRUE(complete);
    EXPECT_EQ(complete->result, std::nullopt);
    EXPECT_EQ(complete->result_encoding, std::nullopt);
    const json::value written = to_json(*complete);
    EXPECT_FALSE(written.as_object().contains("result"));
    EXPECT_FALSE(written.as_object().contains("result_b64"));
    // No result and an empty one differ.
    Complete empty{.lease = test::handle, .result = ""};
    EXPECT_EQ(from_json<Complete>(to_json(empty))->result, "");
}

}  // namespace
}  // namespace flowfabric::api
