#include "api/openapi/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "api/openapi/document_schemas.hpp"
#include "api/openapi/endpoint.hpp"
#include "api/openapi/examples.hpp"
#include "api/openapi/schemas.hpp"
#include "api/operations.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/condition.hpp"
#include "flowfabric/policy.hpp"
#include "support/json_schema.hpp"
#include "unit/api/samples.hpp"

// The API's description: that it is kept, whole, and true.
namespace flowfabric::api {
namespace {

namespace json = boost::json;
using flowfabric::test::departure;
using ::testing::IsEmpty;

const std::filesystem::path kept = std::filesystem::path(FF_SOURCE_DIR) / "docs" / "openapi.json";

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Calls `visit` with the method, the path and the description of each route.
template <class Visit>
void each_route(Visit&& visit) {
    for (const auto& [path, methods] : openapi_document().at("paths").as_object()) {
        for (const auto& [method, description] : methods.as_object()) {
            visit(std::string(method), std::string(path), description.as_object());
        }
    }
}

template <class Visit>
void each_object(const json::value& value, Visit&& visit) {
    if (const auto* array = value.if_array()) {
        for (const json::value& item : *array) each_object(item, visit);
    } else if (const auto* object = value.if_object()) {
        visit(*object);
        for (const auto& [name, member] : *object) each_object(member, visit);
    }
}

const json::value& whole() {
    static const json::value document(openapi_document());
    return document;
}

TEST(OpenApi, TheKeptDocumentIsTheOneThatTheServerGives) {
    const std::string made = pretty_json(openapi_document());
    if (std::getenv("FF_WRITE_GOLDEN") != nullptr) {
        std::ofstream(kept, std::ios::binary) << made;
        return;
    }
    EXPECT_TRUE(text_of(kept) == made)
        << "docs/openapi.json differs; if the change is meant, write it anew and look at the difference: "
           "FF_WRITE_GOLDEN=1 build/tests/ff_unit_tests --gtest_filter='OpenApi.*'";
    EXPECT_EQ(json::parse(made), openapi_document());
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
    each_object(openapi_document(), [](const json::object& object) {
        const auto* reference = object.if_contains("$ref");
        if (reference == nullptr) return;
        boost::system::error_code failure;
        const std::string_view text(reference->as_string());
        EXPECT_NE(whole().find_pointer(text.substr(1), failure), nullptr) << text;
    });
}

TEST(OpenApi, EachRouteHasANameOfItsOwnAndSaysWhatItDoes) {
    std::set<std::string> names;
    std::set<std::string> tags;
    for (const auto& tag : openapi_document().at("tags").as_array()) tags.emplace(tag.at("name").as_string());
    each_route([&](const std::string& method, const std::string& path, const json::object& description) {
        SCOPED_TRACE(method + ' ' + path);
        EXPECT_TRUE(names.emplace(description.at("operationId").as_string()).second);
        EXPECT_TRUE(description.at("summary").as_string().ends_with('.'));
        EXPECT_TRUE(tags.contains(std::string(description.at("tags").at(0).as_string())));
        EXPECT_THAT(description.at("responses").as_object(), ::testing::Not(IsEmpty()));
        std::set<std::string> places;
        for (auto open = path.find('{'); open != std::string::npos; open = path.find('{', open + 1)) {
            places.insert(path.substr(open + 1, path.find('}', open) - open - 1));
        }
        const auto* parameters = description.if_contains("parameters");
        if (parameters == nullptr) {
            EXPECT_THAT(places, IsEmpty());
            return;
        }
        for (const json::value& parameter : parameters->as_array()) {
            if (parameter.at("in") == "path") places.erase(std::string(parameter.at("name").as_string()));
        }
        EXPECT_THAT(places, IsEmpty());
    });
}

TEST(OpenApi, OnlyPendingWaitpointsAreAnArray) {
    std::vector<std::string> arrays;
    each_route([&](const std::string& method, const std::string& path, const json::object& description) {
        if (method != "get") return;
        boost::system::error_code failure;
        const json::value whole_route(description);
        const auto* type = whole_route.find_pointer("/responses/200/content/application~1json/schema/type", failure);
        if (type != nullptr && *type == "array") arrays.push_back(path);
    });
    EXPECT_THAT(arrays, ::testing::ElementsAre("/v1/executions/{id}/pending-waitpoints"));
}

TEST(OpenApi, EveryRouteOfTheTableStandsInIt) {
    std::set<std::string> described;
    each_route([&](const std::string& method, const std::string& path, const json::object&) {
        described.insert(method + ' ' + path);
    });
    for (const Route& route : routes()) {
        std::string method(route.method);
        for (char& c : method) c = static_cast<char>(std::tolower(c));
        const std::string path(route.path);
        EXPECT_TRUE(described.contains(method + ' ' + path)) << method << ' ' << path;
        EXPECT_EQ(described.contains(method + ' ' + path + ":batch"), route.batched) << path;
    }
}

// Handlers that are no operation are added by a literal method and path.
TEST(OpenApi, EveryOtherRouteOfTheServerStandsInItToo) {
    const std::regex added(R"re(router\.add\(\s*"([A-Z]+)",\s*"([^"]+)")re");
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(FF_SOURCE_DIR) / "src/server/routes")) {
        const std::string source = text_of(entry.path());
        for (std::sregex_iterator at(source.begin(), source.end(), added), end; at != end; ++at) {
            ++count;
            const auto endpoint = std::ranges::find_if(endpoints(), [&](const Endpoint& one) {
                return one.method == (*at)[1].str() && one.path == (*at)[2].str();
            });
            EXPECT_NE(endpoint, endpoints().end()) << (*at)[2].str() << " has no Endpoint (src/api/openapi)";
        }
    }
    EXPECT_GE(count, 3);
}

TEST(OpenApi, SamplesOfAllOperationsFitTheirSchemas) {
    for (const OperationEntry& entry : operations()) {
        Schemas schemas(Schemas::Side::request);
        const json::value schema = entry.request->schema(schemas);
        const json::value document(json::object{{"components", json::object{{"schemas", schemas.take()}}}});
        EXPECT_EQ(departure(test::sample_of(entry.operation.name), schema, document), "") << entry.operation.name;
    }
}

TEST(OpenApi, EveryExampleIsTakenByItsRouteAndFitsItsSchema) {
    const auto with_lease = [](std::string text) {
        const std::string lease = test::handle.to_string();
        for (auto at = text.find("LEASE"); at != std::string::npos; at = text.find("LEASE")) text.replace(at, 5, lease);
        return text;
    };
    int count = 0;
    each_route([&](const std::string&, const std::string& path, const json::object& description) {
        const auto* body = description.if_contains("requestBody");
        if (body == nullptr) return;
        const json::value& media = body->at_pointer("/content/application~1json");
        const auto* example = media.as_object().if_contains("example");
        if (example == nullptr) return;
        ++count;
        const std::string name(description.at("operationId").as_string());
        SCOPED_TRACE(name);
        const json::value filled = json::parse(with_lease(json::serialize(*example)));
        EXPECT_EQ(departure(filled, media.at("schema"), whole()), "");
        const OperationEntry* operation = find_operation(name);
        if (operation == nullptr) return;  // exchange
        const auto route = std::ranges::find(routes(), std::string_view(path), &Route::path);
        RequestParts parts;
        if (path.find("{id}") != std::string::npos) {
            const bool of_execution = path.starts_with("/v1/executions/");
            parts.places.emplace("id", of_execution ? test::execution : test::uuid);
        }
        if (path.find("{lane_id}") != std::string::npos) parts.places.emplace("lane_id", "mail");
        if (path.find("{name}") != std::string::npos) parts.places.emplace("name", "execution_retention");
        const auto request = request_of(*route, *operation, filled.as_object(), parts);
        ASSERT_TRUE(request) << request.error().error;
        const auto asked = asked_by(*route, *operation, *request);
        EXPECT_TRUE(asked) << (asked ? "" : asked.error().error);
    });
    EXPECT_GE(count, 15);
}

// The schemas of documents stand beside the parsers that read them.
TEST(OpenApi, PoliciesAndConditionsReadAsTheirSchemasSay) {
    Schemas schemas(Schemas::Side::request);
    const json::value policy_schema = document_schema("ExecutionPolicy", schemas);
    const json::value condition_schema = document_schema("ResumeCondition", schemas);
    const json::value document(json::object{{"components", json::object{{"schemas", schemas.take()}}}});

    const std::string policy = R"({"priority": 3, "delay_until": 5,
        "retry_policy": {"max_retries": 2, "backoff": {"type": "fixed", "delay_ms": 7}, "retryable_categories": ["x"]},
        "timeout_policy": {"attempt_timeout_ms": 1, "execution_deadline_ms": 2},
        "routing_requirements": {"required_capabilities": ["gpu"], "preferred_locality": "eu", "isolation_level": "vm"},
        "dedup_window_ms": 3, "max_reclaim_count": 4, "max_replay_count": 5,
        "suspension_policy": {"default_timeout_ms": 6, "timeout_behavior": "cancel"},
        "fallback_policy": {"tiers": [{"provider": "p", "model": "m", "timeout_ms": 8}]},
        "budget_ids": ["b"], "quota_policy_id": "q",
        "stream_policy": {"durability_mode": "buffered", "retention_maxlen": 9, "retention_ttl_ms": 10},
        "max_signals_per_execution": 11})";
    const auto read = ExecutionPolicy::parse(policy);
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(departure(json::parse(policy), policy_schema, document), "");
    EXPECT_EQ(departure(json::parse(read->to_json()), policy_schema, document), "");
    const auto& properties = document.at_pointer("/components/schemas/ExecutionPolicy/properties").as_object();
    EXPECT_EQ(properties.size(), json::parse(policy).as_object().size()) << "a field of the policy has no schema";

    for (const std::string_view condition :
         {R"("OperatorOnly")", R"("TimeoutOnly")", R"({"Single": {"waitpoint_key": "a", "matcher": "Wildcard"}})",
          R"({"Composite": {"kind": "AllOf", "members": ["TimeoutOnly"]}})",
          R"({"Composite": {"kind": "Count", "n": 2, "count_kind": "DistinctSources", "matcher": {"ByName": "x"},
              "waitpoints": ["a"]}})"}) {
        EXPECT_TRUE(ResumeCondition::parse(condition)) << condition;
        EXPECT_EQ(departure(json::parse(condition), condition_schema, document), "") << condition;
    }
}

}  // namespace
}  // namespace flowfabric::api
