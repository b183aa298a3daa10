#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>

#include <boost/json.hpp>

#include "api/json_text.hpp"
#include "api/operations.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"
#include "flowfabric/engine.hpp"
#include "fuzz/fuzzing.hpp"
#include "fuzz/mutation.hpp"
#include "support/route_places.hpp"
#include "unit/api/samples.hpp"

// Input that no caller should send, without end: whatever it is, it is taken in or refused by name, and nothing breaks.
namespace flowfabric::test {
namespace {

namespace json = boost::json;

void fuzz_with(const std::vector<std::string>& corpus, const std::function<void(const std::string&)>& take) {
    fuzz([&](Random& random) { take(mutated(random.pick(corpus), random)); });
}

// The body of a request as the server reads it.
std::optional<json::object> object_in(std::string_view text) {
    json::parse_options options;
    options.max_depth = 64;
    boost::system::error_code failure;
    json::value value = json::parse(text, failure, {}, options);
    if (failure || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

// A name, a line's end, and a document.
std::vector<std::string> operations_with_samples() {
    std::vector<std::string> corpus;
    for (const auto& [name, sample] : api::test::samples) {
        corpus.push_back(std::string(name) + '\n' + api::test::filled_in(std::string(sample)));
    }
    return corpus;
}

struct Asked {
    const api::OperationEntry* operation = nullptr;
    json::object document;
};

std::optional<Asked> asked_in(const std::string& input) {
    const auto end = input.find('\n');
    if (end == std::string::npos) return std::nullopt;
    const auto* operation = api::find_operation(std::string_view(input).substr(0, end));
    auto document = object_in(std::string_view(input).substr(end + 1));
    if (operation == nullptr || !document) return std::nullopt;
    return Asked{operation, *std::move(document)};
}

json::value written(const api::OperationEntry& operation, const std::variant<Commands, Queries>& asked) {
    return std::visit(
        [&](const auto& kind) {
            return std::visit([&](const auto& one) { return operation.request->write(&one); }, kind);
        },
        asked);
}

// What is taken in is written in a form that is taken in as the same.
TEST(Fuzz, DocumentsOfOperationsAreTakenInOrRefusedByName) {
    fuzz_with(operations_with_samples(), [](const std::string& input) {
        const auto asked = asked_in(input);
        if (!asked) return;
        const auto parsed = asked->operation->parse(asked->document, {.ignore_unknown_fields = true});
        if (!parsed) {
            EXPECT_FALSE(parsed.error().detail.empty()) << input;
            return;
        }
        const json::value normal = written(*asked->operation, *parsed);
        const auto again = asked->operation->parse(normal, {});
        ASSERT_TRUE(again) << api::json_text(normal) << '\n' << to_string(again.error());
        EXPECT_EQ(written(*asked->operation, *again), normal);
    });
}

TEST(Fuzz, RequestsOnEveryRouteAreTakenInOrRefusedAsTheCallersFault) {
    fuzz_with(operations_with_samples(), [](const std::string& input) {
        const auto asked = asked_in(input);
        if (!asked) return;
        for (const api::Route& route : api::routes()) {
            if (route.operation != asked->operation->operation.name) continue;
            // The router fills every place of a path; the input stands there and in the query as well.
            api::RequestParts parts;
            for (const auto& place : places_of(route.path)) parts.places.emplace(place, input.substr(0, 60));
            api::RequestParts with_query = parts;
            for (const auto& [name, value] : asked->document)
                with_query.query.emplace_back(name, json::serialize(value));
            for (const auto& brought : {parts, with_query}) {
                auto request = api::request_of(route, *asked->operation, asked->document, brought);
                auto outcome = request ? api::asked_by(route, *asked->operation, *request)
                                       : api::OrProblem<std::variant<Commands, Queries>>(request.error());
                if (outcome) continue;
                EXPECT_GE(outcome.error().status, 400U);
                EXPECT_LT(outcome.error().status, 500U) << outcome.error().error;
                EXPECT_FALSE(outcome.error().error.empty());
            }
        }
    });
}

// Behind the front door as well: no input makes the engine break.
TEST(Fuzz, NoCommandOrQueryBreaksAnEngine) {
    auto engine = Engine::open({.store = "memory:"});
    ASSERT_TRUE(engine) << to_string(engine.error());
    Client& client = **engine;
    fuzz_with(operations_with_samples(), [&](const std::string& input) {
        const auto asked = asked_in(input);
        if (!asked) return;
        auto parsed = asked->operation->parse(asked->document, {.ignore_unknown_fields = true});
        if (!parsed) return;
        Result<std::any> answer = std::any();
        if (auto* query = std::get_if<Queries>(&*parsed)) {
            answer = client.read_any(std::move(*query));
        } else {
            auto& command = std::get<Commands>(*parsed);
            // Work that never comes would be waited for.
            if (auto* claim = std::get_if<Claim>(&command)) claim->max_wait_ms = 0;
            if (auto* cancel = std::get_if<CancelFlow>(&command)) cancel->max_wait_ms = 0;
            if (auto* tail = std::get_if<TailStream>(&command)) tail->block_ms = 0;
            std::promise<Result<std::any>> answered;
            client.submit_any(
                std::move(command), [&](Result<std::any> result) { answered.set_value(std::move(result)); },
                Client::AnswerOn::executor);
            answer = answered.get_future().get();
        }
        if (answer) {
            EXPECT_FALSE(api::json_text(asked->operation->present(*answer)).empty());
        } else {
            EXPECT_NE(answer.error().kind, ErrorKind::internal) << input << '\n' << to_string(answer.error());
            EXPECT_NE(answer.error().kind, ErrorKind::corruption) << input << '\n' << to_string(answer.error());
        }
    });
}

}  // namespace
}  // namespace flowfabric::test
