#include <set>

#include "e2e/http_test.hpp"
#include "support/json_schema.hpp"

// The API's description and its page, as `ff server` gives them.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace json = boost::json;

class ApiDescription : public HttpApi {
  protected:
    void SetUp() override {
        HttpApi::SetUp();
        document_ = get("/v1/openapi.json").json();
    }

    // How the answer departs from what is said of that route; empty: it does not.
    std::string departure_of(const std::string& method, const std::string& path, const HttpAnswer& answer) const {
        const auto& responses = document_.at("paths").at(path).at(method).at("responses").as_object();
        const auto* response = responses.if_contains(std::to_string(answer.status));
        if (response == nullptr) return "nothing is said of " + std::to_string(answer.status);
        if (const auto* reference = response->as_object().if_contains("$ref")) {
            response = &document_.at_pointer(std::string_view(reference->as_string()).substr(1));
        }
        const auto& content = response->at("content").as_object();
        return departure(answer.json(), content.at("application/json").at("schema"), document_);
    }

    json::value document_;
};

INSTANTIATE_TEST_SUITE_P(Stores, ApiDescription, durable_stores(), name_of_param);

TEST_P(ApiDescription, IsServedOnceAndThenKnownByItsTag) {
    const auto first = get("/v1/openapi.json");
    ASSERT_EQ(first.status, 200);
    EXPECT_EQ(first.headers.at("content-type"), "application/json");
    EXPECT_EQ(first.json().at("openapi"), "3.1.0");
    const auto again = http_call(port(), "GET", "/v1/openapi.json", "", {{"If-None-Match", first.headers.at("etag")}});
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
}

TEST_P(ApiDescription, TellsTheTruthAboutAnswers) {
    const auto created = post("/v1/executions", R"({"execution_kind":"k","lane_id":"truth","input":{"a":[1]}})");
    EXPECT_EQ(departure_of("post", "/v1/executions", created), "") << created.body;
    const std::string id = text(created.json().at("Created").at("execution_id"));
    const auto info = get("/v1/executions/" + id);
    EXPECT_EQ(departure_of("get", "/v1/executions/{id}", info), "") << info.body;
    const auto claimed = post("/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["truth"]})");
    EXPECT_EQ(departure_of("post", "/v1/tasks/claim", claimed), "") << claimed.body;
    const std::string lease = text(claimed.json().at("tasks").at(0).at("lease"));
    const auto round = post("/v1/workers/w/exchange",
                            R"({"worker_instance_id":"w-1","renew":[{"lease":")" + lease + R"("}],"done":[{"lease":")" +
                                lease + R"(","outcome":"complete","result":1},{"lease":"x","outcome":"fail"}]})");
    EXPECT_EQ(departure_of("post", "/v1/workers/{worker_id}/exchange", round), "") << round.body;
    const auto repeat = post("/v1/tasks/fail", R"({"lease":")" + lease + R"(","reason":"r"})");
    EXPECT_EQ(repeat.status, 409);
    EXPECT_EQ(departure_of("post", "/v1/tasks/fail", repeat), "") << repeat.body;
    const auto batch = post("/v1/executions:batch", R"({"items":[{"execution_kind":"k"},{}]})");
    EXPECT_EQ(departure_of("post", "/v1/executions:batch", batch), "") << batch.body;

    const auto flow = post("/v1/flows/submit",
                           R"({"flow_kind":"order","nodes":[{"name":"a","execution":{"execution_kind":"k"}},)"
                           R"({"name":"b","execution":{"execution_kind":"k"}}],"edges":[{"from":"a","to":"b"}]})");
    EXPECT_EQ(departure_of("post", "/v1/flows/submit", flow), "") << flow.body;
    const std::string flow_id = text(flow.json().at("flow_id"));
    for (const std::string path : {"", "/members", "/edges", "/graph"}) {
        const auto read = get("/v1/flows/" + flow_id + path);
        EXPECT_EQ(departure_of("get", "/v1/flows/{id}" + path, read), "") << read.body;
    }
    for (const std::string path : {"/state", "/attempts", "/explain", "/context", "/pending-waitpoints"}) {
        const auto read = get("/v1/executions/" + id + path);
        EXPECT_EQ(departure_of("get", "/v1/executions/{id}" + path, read), "") << read.body;
    }
    for (const std::string path : {"/v1/executions", "/v1/flows", "/v1/lanes", "/v1/workers", "/v1/settings",
                                   "/v1/consumers", "/v1/suspended", "/v1/leases/expired", "/version", "/healthz"}) {
        const auto read = get(path + (path == "/v1/executions" ? "?partition=7" : ""));
        EXPECT_EQ(departure_of("get", path, read), "") << path << ": " << read.body;
    }
    const auto refused = post("/v1/executions", R"({"execution_kind":5})");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(departure_of("post", "/v1/executions", refused), "") << refused.body;
    const auto absent = get("/v1/flows/0190a1b2-0000-7000-8000-000000000001");
    EXPECT_EQ(absent.status, 404);
    EXPECT_EQ(departure_of("get", "/v1/flows/{id}", absent), "") << absent.body;
}

// What a page refers to by src or href.
std::set<std::string> links_of(const std::string& page) {
    std::set<std::string> links;
    for (const std::string_view attribute : {"src=\"", "href=\""}) {
        for (auto at = page.find(attribute); at != std::string::npos; at = page.find(attribute, at + 1)) {
            const auto begin = at + attribute.size();
            links.insert(page.substr(begin, page.find('"', begin) - begin));
        }
    }
    return links;
}

// The modules that a script imports from beside itself.
std::set<std::string> imports_of(const std::string& script) {
    std::set<std::string> imports;
    constexpr std::string_view from = "from './";
    for (auto at = script.find(from); at != std::string::npos; at = script.find(from, at + 1)) {
        const auto begin = at + from.size();
        imports.insert(script.substr(begin, script.find('\'', begin) - begin));
    }
    return imports;
}

TEST_P(ApiDescription, ThePageNeedsNothingButItsServer) {
    const auto page = get("/docs");
    ASSERT_EQ(page.status, 200);
    EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
    const std::string& policy = page.headers.at("content-security-policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_THAT(page.body, Not(HasSubstr("<style")));
    EXPECT_THAT(page.body, Not(HasSubstr(" style=")));
    EXPECT_THAT(page.body, Not(HasSubstr(" onclick=")));

    const std::map<std::string, std::string> types{{"js", "text/javascript; charset=utf-8"},
                                                   {"css", "text/css; charset=utf-8"},
                                                   {"svg", "image/svg+xml"},
                                                   {"json", "application/json"}};
    std::set<std::string> scripts;
    for (const std::string& link : links_of(page.body)) {
        if (link.starts_with('#')) continue;
        EXPECT_THAT(link, Not(HasSubstr("//"))) << "the page works below any path";
        const auto file = get('/' + link);
        EXPECT_EQ(file.status, 200) << link;
        const std::string extension = link.substr(link.rfind('.') + 1);
        EXPECT_EQ(file.headers.at("content-type"), types.at(extension)) << link;
        EXPECT_EQ(file.headers.at("x-content-type-options"), "nosniff") << link;
        if (extension == "js") scripts.insert(link);
    }
    ASSERT_EQ(scripts.size(), 1U);
    for (const std::string& import : imports_of(get('/' + *scripts.begin()).body)) {
        EXPECT_EQ(get("/docs/" + import).status, 200) << import;
    }
}

}  // namespace
}  // namespace flowfabric::test
