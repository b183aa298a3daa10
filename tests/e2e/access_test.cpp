#include <atomic>
#include <map>
#include <thread>

#include "api/operations.hpp"
#include "api/routes/route.hpp"
#include "core/base/hex.hpp"
#include "e2e/http_test.hpp"
#include "support/event_reader.hpp"
#include "support/sql_session.hpp"

// Who may do what over HTTP: every route with every scope, with tokens of other namespaces and without one.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace json = boost::json;
using To = api::Belonging::To;

class HttpAccess : public HttpApi {
  protected:
    // A caller with a token; an empty one has none.
    HttpAnswer call(const std::string& token, const std::string& method, const std::string& target,
                    const std::string& body = "") const {
        std::vector<std::pair<std::string, std::string>> headers{{"Content-Type", "application/json"}};
        if (!token.empty()) headers.emplace_back("Authorization", "Bearer " + token);
        return http_call(port(), method, target, body, headers);
    }
    std::string make_token(const std::string& as, const std::string& name, const std::string& scope,
                           const std::string& more = "") const {
        const auto answer = call(as, "POST", "/v1/admin/tokens",
                                 R"({"name":")" + name + R"(","scopes":[")" + scope + R"("])" + more + '}');
        EXPECT_EQ(answer.status, 201) << answer.body;
        return text(answer.json().at("secret"));
    }
    std::string root() {
        if (root_.empty()) root_ = make_token("", "root", "admin");
        return root_;
    }
    std::string create_in(const std::string& as, const std::string& namespace_name, const std::string& lane = "l") {
        const auto answer =
            call(as, "POST", "/v1/executions",
                 R"({"execution_kind":"k","lane_id":")" + lane + R"(","namespace":")" + namespace_name + "\"}");
        EXPECT_EQ(answer.status, 201) << answer.body;
        return text(answer.json().at("Created").at("execution_id"));
    }

  private:
    std::string root_;
};
INSTANTIATE_TEST_SUITE_P(Stores, HttpAccess, durable_stores(), name_of_param);

// What requests name in the namespace `shop`.
struct Shop {
    std::string execution;
    std::string flow;
    std::string lease;
    std::string operation;

    std::string at(To to) const {
        switch (to) {
            case To::name:
                return "shop";
            case To::execution:
                return execution;
            case To::uuid:
                return execution.substr(execution.find("}:") + 2);
            case To::flow:
                return flow;
            case To::lease:
                return lease;
            case To::bulk:
                return operation;
            case To::webhook:
                return "billing";
        }
        return {};
    }
};

void put(json::object& object, std::string_view path, const std::string& value) {
    const auto dot = path.find('.');
    if (dot == std::string_view::npos) {
        object[path] = value;
        return;
    }
    std::string_view step = path.substr(0, dot);
    const bool of_list = step.ends_with("[]");
    if (of_list) step.remove_suffix(2);
    json::value& inner = object[step];
    if (of_list) {
        if (inner.is_null()) inner = json::array{json::object{}};
        return put(inner.as_array().front().as_object(), path.substr(dot + 1), value);
    }
    if (inner.is_null()) inner = json::object{};
    put(inner.as_object(), path.substr(dot + 1), value);
}

struct Asked {
    std::string target;
    std::string body;
};

// A request on a route that is no operation of its own.
struct OtherRoute {
    std::string method;
    Asked asked;
    Scope scope = Scope::worker;
    int to_foreigners = 403;
};

std::vector<OtherRoute> other_routes(const Shop& shop) {
    return {{"POST",
             {"/v1/workers/w/exchange", R"({"done":[{"outcome":"complete","lease":")" + shop.lease + "\"}]}"},
             Scope::worker,
             403},
            {"HEAD", {"/v1/events?channel=completion&namespace=shop", ""}, Scope::read, 403},
            {"HEAD", {"/v1/executions/" + shop.execution + "/events", ""}, Scope::read, 404},
            {"HEAD", {"/v1/executions/" + shop.execution + "/stream", ""}, Scope::read, 404}};
}

// A request on the route that names what is in the shop, as far as the route says what it names.
Asked request_on(const api::Route& route, const Shop& shop) {
    json::object named;
    for (const api::Belonging& belonging : route.belongs_to) put(named, belonging.field, shop.at(belonging.to));
    if (route.operation == "issue_reclaim_grant") named.at("grant").as_object()["grant_ttl_ms"] = 1000;
    std::string target;
    for (std::string_view rest = route.path; !rest.empty();) {
        const auto open = rest.find('{');
        target += rest.substr(0, open);
        if (open == std::string_view::npos) break;
        const auto close = rest.find('}');
        const auto place = rest.substr(open + 1, close - open - 1);
        const auto field = place == "id" ? route.id_field : place;
        const json::value* value = named.if_contains(field);
        if (field == "execution_id" || field == "downstream_execution_id")
            target += shop.execution;
        else if (value != nullptr)
            target += text(*value);
        else
            target += "nothing";
        named.erase(field);
        rest.remove_prefix(close + 1);
    }
    if (route.method != "GET" && route.method != "DELETE") return {target, json::serialize(named)};
    for (const auto& [name, value] : named) {
        if (value.is_string())
            target += (target.find('?') == std::string::npos ? '?' : '&') + std::string(std::string_view(name)) + '=' +
                      text(value);
    }
    return {target, ""};
}

TEST_P(HttpAccess, EveryRouteAsksForItsScopeAndKeepsToTheNamespaces) {
    const std::string all = root();
    std::map<Scope, std::string> by_scope;
    for (const Scope scope : {Scope::read, Scope::submit, Scope::worker, Scope::signal, Scope::admin}) {
        const std::string name(to_string(scope));
        by_scope[scope] = make_token(all, "only-" + name, name);
    }
    const std::string own = make_token(all, "shop", "admin", R"(,"namespaces":["shop","depot"])");
    const std::string foreign = make_token(all, "bank", "admin", R"(,"namespaces":["bank"])");
    Shop shop{.execution = create_in(all, "shop"), .flow = "", .lease = "", .operation = ""};
    shop.operation =
        text(call(all, "POST", "/v1/bulk", R"({"action":"replay","filter":{"namespace":"shop","lane_id":"none"}})")
                 .json()
                 .at("operation_id"));
    EXPECT_EQ(call(all, "POST", "/v1/webhooks",
                   R"({"name":"billing","url":"http://127.0.0.1:9/","namespace":"shop","channel":"completion"})")
                  .status,
              201);
    shop.flow = text(call(all, "POST", "/v1/flows/submit",
                          R"({"flow_kind":"f","namespace":"shop","nodes":[{"name":"a","execution":)"
                          R"({"execution_kind":"k","lane_id":"flow","namespace":"shop"}}],"edges":[]})")
                         .json()
                         .at("flow_id"));
    shop.lease =
        text(call(all, "POST", "/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["l"]})")
                 .json()
                 .at("tasks")
                 .at(0)
                 .at("lease"));

    for (const auto& table : {api::routes(), api::named_routes()}) {
        for (const api::Route& route : table) {
            const Asked asked = request_on(route, shop);
            const std::string method(route.method);
            SCOPED_TRACE(method + ' ' + asked.target + ' ' + asked.body);
            const auto status_with = [&](const std::string& token) {
                return call(token, method, asked.target, asked.body).status;
            };
            EXPECT_EQ(status_with(""), 401);
            EXPECT_EQ(status_with("ff_nobody"), 401);
            // Where it belongs to nothing the request is refused before anything else could be wrong with it.
            const bool held = !route.belongs_to.empty();
            const bool by_name = held && route.belongs_to.front().to == To::name;
            EXPECT_EQ(status_with(foreign), held && !by_name ? 404 : 403);
            for (const auto& [scope, token] : by_scope) {
                if (scope == Scope::admin || scope == route.scope) continue;
                EXPECT_EQ(status_with(token), 403) << "with the scope " << to_string(scope);
            }
            if (!route.batched) continue;
            const auto batch_with = [&](const std::string& token) {
                return call(token, method, std::string(route.path) + ":batch", R"({"items":[)" + asked.body + "]}");
            };
            EXPECT_EQ(batch_with("").status, 401);
            for (const auto& [scope, token] : by_scope) {
                if (scope == Scope::admin || scope == route.scope) continue;
                EXPECT_EQ(batch_with(token).status, 403) << "many with the scope " << to_string(scope);
            }
            const auto of_foreign = batch_with(foreign);
            EXPECT_EQ(of_foreign.status, held ? 200 : 403);
            if (!held) continue;
            EXPECT_EQ(of_foreign.json().at("items").at(0).at("problem").at("status"), by_name ? 403 : 404);
        }
    }
    for (const OtherRoute& route : other_routes(shop)) {
        SCOPED_TRACE(route.method + ' ' + route.asked.target);
        const auto status_with = [&](const std::string& token) {
            return call(token, route.method, route.asked.target, route.asked.body).status;
        };
        EXPECT_EQ(status_with(""), 401);
        EXPECT_EQ(status_with(foreign), route.to_foreigners);
        for (const auto& [scope, token] : by_scope) {
            if (scope == Scope::admin || scope == route.scope) continue;
            EXPECT_EQ(status_with(token), 403) << "with the scope " << to_string(scope);
        }
    }
    EXPECT_EQ(text(call(all, "GET", "/v1/executions/" + shop.execution + "/state").json()), "active")
        << "nothing was done with what no caller may touch";

    // What is allowed is not refused for want of rights; most of it is then wrong in some other way, or repeated.
    for (const api::Route& route : api::routes()) {
        const Asked asked = request_on(route, shop);
        const std::string method(route.method);
        SCOPED_TRACE(method + ' ' + asked.target + ' ' + asked.body);
        const auto is_let_in = [&](const std::string& token) {
            const int status = call(token, method, asked.target, asked.body).status;
            return status != 401 && status != 403;
        };
        EXPECT_TRUE(is_let_in(by_scope[route.scope]));
        EXPECT_TRUE(is_let_in(by_scope[Scope::admin]));
        EXPECT_EQ(is_let_in(own), !route.belongs_to.empty());
    }
    for (const OtherRoute& route : other_routes(shop)) {
        SCOPED_TRACE(route.method + ' ' + route.asked.target);
        const auto is_let_in = [&](const std::string& token) {
            const int status = call(token, route.method, route.asked.target, route.asked.body).status;
            return status != 401 && status != 403;
        };
        EXPECT_TRUE(is_let_in(by_scope[route.scope]));
        EXPECT_TRUE(is_let_in(by_scope[Scope::admin]));
        EXPECT_EQ(is_let_in(own), route.scope != Scope::worker);
    }
}

TEST_P(HttpAccess, WithoutATokenOnlyWhatWatchesTheServerAnswers) {
    EXPECT_EQ(get("/v1/executions").status, 200) << "no token was ever made";
    root();
    EXPECT_EQ(get("/healthz").status, 200);
    EXPECT_EQ(get("/version").status, 200);
    for (const char* target : {"/v1/executions", "/v1/no-such-route", "/", "/v1/executions/x"}) {
        const auto refused = get(target);
        EXPECT_EQ(refused.status, 401) << target;
        EXPECT_EQ(refused.headers.at("www-authenticate"), "Bearer");
        EXPECT_EQ(refused.json().at("error"), "missing or invalid Authorization header");
        EXPECT_EQ(refused.json().at("kind"), "unauthorized");
    }
    EXPECT_EQ(call(root(), "GET", "/v1/no-such-route").status, 404);
    EXPECT_EQ(call(root(), "PATCH", "/v1/executions").status, 405);
}

TEST_P(HttpAccess, TheSchemeIsBearerAndOneBlank) {
    const std::string token = root();
    const auto status_with = [&](const std::string& header) {
        return http_call(port(), "GET", "/v1/executions", "", {{"Authorization", header}}).status;
    };
    EXPECT_EQ(status_with("Bearer " + token), 200);
    for (const std::string& header :
         {"bearer " + token, "BEARER " + token, "Bearer  " + token, "Bearer" + token, "Basic " + token, token,
          "Bearer " + token + "x", std::string("Bearer "), "Bearer " + token.substr(1)}) {
        EXPECT_EQ(status_with(header), 401) << header;
    }
}

TEST_P(HttpAccess, ARefusalNamesTheScopeThatIsMissing) {
    const std::string reader = make_token(root(), "eye", "read");
    const auto refused = call(reader, "POST", "/v1/executions", R"({"execution_kind":"k","lane_id":"l"})");
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.json().at("kind"), "forbidden");
    EXPECT_THAT(text(refused.json().at("error")), HasSubstr("lacks the scope submit"));
    const auto worker =
        call(root(), "POST", "/v1/admin/tokens", R"({"name":"w","scopes":["worker"],"namespaces":["shop"]})");
    EXPECT_EQ(worker.status, 400);
    EXPECT_EQ(worker.json().at("details").at(0).at("field"), "namespaces");
}

TEST_P(HttpAccess, WhatIsInAnotherNamespaceIsAsIfItWereNotThere) {
    const std::string shop = make_token(root(), "shop", "admin", R"(,"namespaces":["shop"])");
    const std::string foreign = create_in(root(), "bank");
    const std::string unknown = "{fp:7}:0190a1b2-0000-7000-8000-000000000001";
    for (const auto& [method, end] : std::vector<std::pair<std::string, std::string>>{
             {"GET", ""}, {"GET", "/state"}, {"POST", "/cancel"}, {"POST", "/replay"}, {"POST", "/revoke-lease"}}) {
        const auto about = [&](std::string id) {
            return call(shop, method, "/v1/executions/" + id + end, method == "GET" ? "" : "{}");
        };
        const auto there = about(foreign);
        auto missing = about(unknown);
        EXPECT_EQ(there.status, 404) << end;
        EXPECT_EQ(missing.status, 404) << end;
        missing.body.replace(missing.body.find(unknown), unknown.size(), foreign);
        EXPECT_EQ(there.problem(), missing.problem());
    }
    EXPECT_EQ(text(call(root(), "GET", "/v1/executions/" + foreign + "/state").json()), "waiting");

    const auto created = call(shop, "POST", "/v1/executions", R"({"execution_kind":"k","lane_id":"l"})");
    const std::string own = text(created.json().at("Created").at("execution_id"));
    EXPECT_EQ(call(shop, "GET", "/v1/executions/" + own).json().at("namespace"), "shop") << "the only one it has";
    const auto batch = call(shop, "POST", "/v1/executions:batch",
                            R"({"items":[{"execution_kind":"k","lane_id":"l","namespace":"bank"},)"
                            R"({"execution_kind":"k","lane_id":"l"}]})");
    EXPECT_EQ(batch.json().at("items").at(0).at("problem").at("status"), 403);
    EXPECT_TRUE(batch.json().at("items").at(1).as_object().contains("answer"));
    const std::string two = make_token(root(), "two", "submit", R"(,"namespaces":["shop","depot"])");
    EXPECT_EQ(call(two, "POST", "/v1/executions", R"({"execution_kind":"k","lane_id":"l"})").status, 422);
}

TEST_P(HttpAccess, WhatATokenMakesInItsNamespaceItMayReadAndChange) {
    const std::string shop = make_token(root(), "shop", "admin", R"(,"namespaces":["shop"])");
    const std::string bank = make_token(root(), "bank", "admin", R"(,"namespaces":["bank"])");
    const std::string filter = R"({"action":"cancel","filter":{"lane_id":"none"}})";
    const auto started = call(shop, "POST", "/v1/bulk", filter);
    ASSERT_EQ(started.status, 201) << started.body;
    EXPECT_EQ(started.json().at("filter").at("namespace"), "shop");
    const std::string operation = "/v1/bulk/" + text(started.json().at("operation_id"));
    EXPECT_EQ(call(shop, "GET", operation).status, 200);
    EXPECT_EQ(call(shop, "POST", operation + "/cancel").status, 200);
    for (const auto& [method, target] :
         {std::pair<std::string, std::string>{"GET", operation}, {"POST", operation + "/cancel"}}) {
        const auto refused = call(bank, method, target);
        EXPECT_EQ(refused.status, 404) << target;
        EXPECT_EQ(refused.json().at("kind"), "bulk_operation_not_found");
    }

    const std::string named = R"({"name":"billing","url":"http://127.0.0.1:9/"})";
    EXPECT_EQ(call(shop, "POST", "/v1/webhooks", named).status, 201);
    EXPECT_EQ(call(bank, "POST", "/v1/webhooks", named).status, 404) << "the name is taken in another namespace";
    EXPECT_EQ(call(shop, "PUT", "/v1/webhooks/billing", R"({"state":"paused"})").status, 200);
    EXPECT_EQ(call(shop, "GET", "/v1/webhooks/billing").json().at("state"), "paused");
    for (const auto& [method, end] : std::vector<std::pair<std::string, std::string>>{
             {"GET", ""}, {"PUT", ""}, {"DELETE", ""}, {"POST", "/rotate"}, {"GET", "/failures"}}) {
        const auto refused = call(bank, method, "/v1/webhooks/billing" + end, method == "GET" ? "" : "{}");
        EXPECT_EQ(refused.status, 404) << method << end;
        EXPECT_EQ(refused.json().at("kind"), "webhook_not_found");
    }
    EXPECT_EQ(call(shop, "DELETE", "/v1/webhooks/billing").status, 200);
    EXPECT_EQ(call(bank, "POST", "/v1/webhooks", named).status, 201) << "at once";
    EXPECT_EQ(call(shop, "GET", "/v1/webhooks/billing").status, 404);

    const std::string id = create_in(root(), "shop");
    const std::string find = "/v1/find/" + id.substr(id.find("}:") + 2);
    EXPECT_EQ(call(shop, "GET", find).json().at("executions").at(0), json::value(id));
    EXPECT_EQ(call(bank, "GET", find).status, 404);
    EXPECT_EQ(call(bank, "GET", "/v1/find/0190a1b2-0000-7000-8000-000000000001").status, 404) << "just so";
}

TEST_P(HttpAccess, AWaitpointsTokenIsReadByItsOwnExecution) {
    const std::string shop = make_token(root(), "shop", "admin", R"(,"namespaces":["shop"])");
    const auto parked_in = [&](const std::string& name) {
        const std::string id = create_in(root(), name, name);
        const auto claimed = call(root(), "POST", "/v1/tasks/claim",
                                  R"({"worker_id":"w","worker_instance_id":"w-1","lanes":[")" + name + R"("]})");
        const std::string lease = text(claimed.json().at("tasks").at(0).at("lease"));
        const auto made = call(root(), "POST", "/v1/tasks/waitpoints",
                               R"({"lease":")" + lease + R"(","waitpoint_key":"a","expires_in_ms":60000})");
        return std::pair(id, text(made.json().at("waitpoint_id")));
    };
    const auto own = parked_in("shop");
    const auto foreign = parked_in("bank");
    const auto token_of = [&](const std::string& id, const std::string& waitpoint) {
        return call(shop, "GET", "/v1/executions/" + id + "/waitpoints/" + waitpoint + "/token").status;
    };
    EXPECT_EQ(token_of(own.first, own.second), 200);
    EXPECT_EQ(token_of(foreign.first, foreign.second), 404);
    EXPECT_EQ(token_of(own.first, foreign.second), 404) << "nor under the name of an own execution";
    const auto by_name = [&](const std::string& more) {
        const auto partition = foreign.first.substr(4, foreign.first.find('}') - 4);
        return call(shop, "POST", "/v1/operations/read_waitpoint_token",
                    R"({"partition":)" + partition + R"(,"waitpoint_id":")" + foreign.second + '"' + more + '}');
    };
    EXPECT_EQ(by_name("").status, 422);
    EXPECT_EQ(by_name(R"(,"execution_id":")" + foreign.first + '"').status, 404);
    EXPECT_TRUE(by_name(R"(,"execution_id":")" + own.first + '"').json().is_null());
}

TEST_P(HttpAccess, StreamsOfConsumersAreForThoseWhoMayHaveThem) {
    const std::string target = "/v1/events?channel=completion&consumer=billing";
    const std::string reader = make_token(root(), "reader", "read");
    const std::string shop = make_token(root(), "shop", "admin", R"(,"namespaces":["shop"])");
    EXPECT_EQ(call(reader, "HEAD", target).status, 404) << "only operators register one";
    EXPECT_EQ(call(root(), "HEAD", target).status, 200);
    EXPECT_EQ(call(reader, "HEAD", target).status, 200);
    EXPECT_EQ(call(shop, "HEAD", target).status, 403) << "its position belongs to no namespace";
}

TEST_P(HttpAccess, RevocationAndRotationBindWhileRequestsRun) {
    const std::string token = make_token(root(), "ci", "read");
    std::atomic<bool> stop = false;
    std::atomic<int> let_in = 0;
    std::atomic<int> odd = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            while (!stop) {
                const int status = call(token, "GET", "/v1/executions").status;
                if (status == 200) ++let_in;
                if (status != 200 && status != 401) ++odd;
            }
        });
    }
    await("requests that are let in", [&] { return let_in > 8; });
    const auto rotated = call(root(), "POST", "/v1/admin/tokens/ci/rotate", R"({"overlap_ms":600000})");
    const std::string next = text(rotated.json().at("secret"));
    EXPECT_EQ(call(next, "GET", "/v1/executions").status, 200) << "at once";
    EXPECT_EQ(call(token, "GET", "/v1/executions").status, 200) << "the overlap is not over";
    EXPECT_EQ(call(root(), "DELETE", "/v1/admin/tokens/ci").status, 200);
    EXPECT_EQ(call(token, "GET", "/v1/executions").status, 401) << "at once";
    EXPECT_EQ(call(next, "GET", "/v1/executions").status, 401);
    stop = true;
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(odd, 0);
}

TEST_P(HttpAccess, AStreamEndsWithItsToken) {
    EventReader nameless(port(), "/v1/events?channel=operator", {});
    const auto stream_with = [&](const std::string& secret) {
        return std::make_unique<EventReader>(
            port(), "/v1/events?channel=operator",
            std::vector<std::pair<std::string, std::string>>{{"Authorization", "Bearer " + secret}});
    };
    const auto revoked = stream_with(make_token(root(), "revoked", "read"));
    const auto soon = std::chrono::system_clock::now() + 3s;
    const auto soon_ms = std::chrono::duration_cast<std::chrono::milliseconds>(soon.time_since_epoch()).count();
    const auto expired =
        stream_with(make_token(root(), "expired", "read", R"(,"expires_at_ms":)" + std::to_string(soon_ms)));
    const auto kept = stream_with(make_token(root(), "kept", "read"));
    EXPECT_EQ(call(root(), "DELETE", "/v1/admin/tokens/revoked").status, 200);
    EXPECT_FALSE(nameless.next()) << "from the first token on every caller needs one";
    EXPECT_FALSE(revoked->next());
    EXPECT_FALSE(expired->next());
    EXPECT_EQ(call(root(), "PUT", "/v1/lanes/l", R"({"state":"paused"})").status, 200);
    EXPECT_TRUE(kept->next());
}

TEST_P(HttpAccess, WhatAnotherProcessRevokesIsRefusedSoon) {
    const std::string token = make_token(root(), "ci", "read");
    EXPECT_EQ(call(token, "GET", "/v1/executions").status, 200);
    value_of(store().open_engine()->call(RevokeToken{"ci"}));
    await("the refusal", [&] { return call(token, "GET", "/v1/executions").status == 401; });
}

TEST_P(HttpAccess, ATokenIsHeldToItsRate) {
    const std::string token = make_token(root(), "slow", "read", R"(,"rate_limit_per_s":1)");
    int refused = 0;
    HttpAnswer last;
    for (int i = 0; i < 50 && refused == 0; ++i) {
        last = call(token, "GET", "/v1/executions");
        if (last.status == 429) ++refused;
    }
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(last.headers.at("retry-after"), "1");
    EXPECT_EQ(last.json().at("kind"), "rate_limited");
    EXPECT_EQ(call(root(), "GET", "/v1/executions").status, 200) << "others have their own";
}

TEST_P(HttpAccess, TheStoreAndTheLogsHoldNoSecret) {
    const std::string token = root();
    const std::string next = text(call(token, "POST", "/v1/admin/tokens/root/rotate", "{}").json().at("secret"));
    EXPECT_EQ(call(next, "GET", "/v1/admin/tokens").status, 200);
    EXPECT_THAT(call(next, "GET", "/v1/admin/tokens").body, Not(HasSubstr("secret")));
    std::string stored;
    if (GetParam() == StoreKind::postgres) {
        SqlSession session(store().url());
        stored = session.run("SELECT string_agg(t::text, ' ') FROM ff_api_token AS t") +
                 session.run("SELECT string_agg(e::text, ' ') FROM ff_audit_event AS e");
        EXPECT_THAT(stored, HasSubstr("root"));
    } else {
        const auto path = store().url().substr(std::string_view("sqlite:").size());
        for (const char* end : {"", "-wal"}) {
            std::ifstream file(path + end, std::ios::binary);
            stored.append(std::istreambuf_iterator<char>(file), {});
        }
        EXPECT_THAT(stored, HasSubstr("ff_api_token"));
    }
    for (const std::string& secret : {token, next}) {
        EXPECT_EQ(stored.find(secret.substr(3)), std::string::npos);
        EXPECT_THAT(server().output() + server().errors(), Not(HasSubstr(secret.substr(3))));
    }
}

TEST_P(HttpAccess, WhatOperatorsDoIsRecorded) {
    const std::string id = create_in(root(), "shop");
    const std::string submitter = make_token(root(), "ci", "submit");
    EXPECT_EQ(call(submitter, "POST", "/v1/executions/" + id + "/cancel", R"({"reason":"r"})").status, 200);
    EXPECT_EQ(call(root(), "POST", "/v1/executions/" + id + "/replay").status, 200);
    EXPECT_EQ(call(root(), "PUT", "/v1/lanes/l", R"({"state":"paused"})").status, 200);
    EXPECT_EQ(call(root(), "PUT", "/v1/settings/nonsense", R"({"value":"1"})").status, 400);

    const auto engine = store().open_engine();
    const auto subscription = value_of(engine->subscribe(Channel::audit, {.cursor = cursor_at(0)}));
    std::vector<std::tuple<std::string, std::string, std::string, int>> records;
    while (records.size() < 6) {
        const auto delivery = value_of(subscription->next(patience));
        ASSERT_TRUE(delivery);
        const auto& event = std::get<AuditEvent>(std::get<Event>(*delivery));
        records.emplace_back(event.actor, event.action, event.subject.value_or(""), event.status);
    }
    using Record = std::tuple<std::string, std::string, std::string, int>;
    EXPECT_EQ(records, (std::vector<Record>{{"-", "create_token", "root", 201},
                                            {"root", "create_token", "ci", 201},
                                            {"ci", "cancel_execution", id, 200},
                                            {"root", "replay_execution", id, 200},
                                            {"root", "set_lane_state", "l", 200},
                                            {"root", "set_setting", "nonsense", 400}}));
}

TEST_P(HttpAccess, OnlyAnOperatorActsWithoutALeaseAndThatIsRecorded) {
    const std::string id = create_in(root(), "shop");
    const std::string worker = make_token(root(), "w", "worker");
    EXPECT_EQ(call(worker, "POST", "/v1/tasks/claim", R"({"worker_id":"w","worker_instance_id":"w-1","lanes":["l"]})")
                  .json()
                  .at("tasks")
                  .as_array()
                  .size(),
              1U);
    const std::string overriding = R"("lease":{"execution_id":")" + id + R"("},"source":"operator_override")";
    const std::string complete = '{' + overriding + '}';
    for (const auto& [target, body] : std::vector<std::pair<std::string, std::string>>{
             {"/v1/tasks/complete", complete},
             {"/v1/operations/complete", complete},
             {"/v1/tasks/fail", R"({"reason":"r",)" + overriding + '}'},
             {"/v1/tasks/delay", R"({"delay_until_ms":1,)" + overriding + '}'}}) {
        const auto refused = call(worker, "POST", target, body);
        EXPECT_EQ(refused.status, 403) << target << refused.body;
        EXPECT_THAT(refused.body, HasSubstr("lacks the scope admin"));
    }
    const auto batch = call(worker, "POST", "/v1/tasks/complete:batch", R"({"items":[)" + complete + "]}");
    EXPECT_EQ(batch.json().at("items").at(0).at("problem").at("status"), 403);
    const auto round =
        call(worker, "POST", "/v1/workers/w/exchange", R"({"done":[{"outcome":"complete",)" + overriding + "}]}");
    EXPECT_EQ(round.json().at("done").at(0).at("problem").at("details").at(0).at("field"), "source") << round.body;
    EXPECT_EQ(text(call(root(), "GET", "/v1/executions/" + id + "/state").json()), "active");

    EXPECT_EQ(call(root(), "POST", "/v1/tasks/complete", complete).status, 200);
    const auto engine = store().open_engine();
    const auto subscription = value_of(engine->subscribe(Channel::audit, {.cursor = cursor_at(0)}));
    for (;;) {
        const auto delivery = value_of(subscription->next(patience));
        ASSERT_TRUE(delivery);
        const auto& event = std::get<AuditEvent>(std::get<Event>(*delivery));
        if (event.action == "create_token") continue;
        EXPECT_EQ(std::tuple(event.actor, event.action, event.subject, event.status),
                  std::tuple(std::string("root"), std::string("complete"), std::optional(id), 200));
        break;
    }
}

TEST_P(HttpAccess, FfMakesRotatesAndRevokesTokens) {
    const auto token = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "token");
        arguments.insert(arguments.end(), {"--store", store().url()});
        const Finished finished = run_ff(std::move(arguments));
        EXPECT_EQ(finished.status, 0) << finished.errors;
        return finished.output.substr(0, finished.output.find('\n'));
    };
    const auto await_status = [&](const std::string& secret, int status) {
        await("status " + std::to_string(status),
              [&] { return call(secret, "GET", "/v1/executions").status == status; });
    };
    const std::string first = token({"create", "ops", "--scope", "admin", "--expires-in", "1h"});
    await_status("", 401);
    await_status(first, 200);
    EXPECT_THAT(run_ff({"token", "list", "--store", store().url()}).output,
                ::testing::AllOf(HasSubstr("ops"), HasSubstr("active"), Not(HasSubstr(first.substr(3)))));
    const std::string second = token({"rotate", "ops", "--overlap", "1h"});
    await_status(second, 200);
    EXPECT_EQ(call(first, "GET", "/v1/executions").status, 200);
    EXPECT_THAT(token({"revoke", "ops"}), HasSubstr("ops: revoked"));
    await_status(second, 401);
    await_status(first, 401);
}

class OwnToken : public EndToEnd {};
INSTANTIATE_TEST_SUITE_P(Stores, OwnToken, durable_stores(), name_of_param);

TEST_P(OwnToken, OfTheEnvironmentHasEveryRightAndIsNotSeenInPs) {
    auto start = command({"server", "--json", "--listen", "127.0.0.1:0"});
    start.insert(start.begin(), {"env", "FF_API_TOKEN=open-sesame"});
    Process server(start);
    const std::string url = text(json::parse(server.await_line("url")).at("url"));
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    const auto status_with = [&](const std::string& secret, const std::string& target) {
        return http_call(port, "GET", target, "", {{"Authorization", "Bearer " + secret}}).status;
    };
    EXPECT_EQ(http_call(port, "GET", "/v1/executions").status, 401);
    EXPECT_EQ(status_with("open-sesam", "/v1/executions"), 401);
    EXPECT_EQ(status_with("open-sesame", "/v1/executions"), 200);
    EXPECT_EQ(status_with("open-sesame", "/v1/admin/tokens"), 200);
    std::ifstream arguments("/proc/" + std::to_string(server.id()) + "/cmdline", std::ios::binary);
    const std::string seen{std::istreambuf_iterator<char>(arguments), {}};
    EXPECT_THAT(seen, HasSubstr("server"));
    EXPECT_THAT(seen + server.output() + server.errors(), Not(HasSubstr("sesame")));
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

TEST_P(OwnToken, AServerThatOtherMachinesReachAsksForOne) {
    store().open_engine();  // makes the signing key, about which a server would log a line
    const Finished refused = run({"server", "--json", "--listen", "0.0.0.0:0"});
    expect_typed_error(refused, "invalid_input");
    EXPECT_THAT(refused.errors, HasSubstr("--allow-unauthenticated"));
    value_of(store().open_engine()->call(CreateToken{.name = "ci", .scopes = {Scope::read}}));
    Process server(command({"server", "--json", "--listen", "0.0.0.0:0"}));
    server.await_line("url");
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

TEST_P(OwnToken, OnlyAServerThatWasToldToTakesOtherMachinesWithoutOne) {
    Process server(command({"server", "--json", "--listen", "0.0.0.0:0", "--allow-unauthenticated", "true"}));
    const std::string url = text(json::parse(server.await_line("url")).at("url"));
    const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
    const auto answer_to = [&](const std::string& line, const std::string& origin, const std::string& body = "") {
        RawHttp client(port);
        client.send(line + " HTTP/1.1\r\nHost: flows.example\r\nOrigin: " + origin +
                    "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
        return client.read_all();
    };
    const std::string execution = R"({"execution_kind":"k","lane_id":"l"})";
    EXPECT_THAT(answer_to("GET /v1/executions", "http://flows.example"), StartsWith("HTTP/1.1 200"))
        << "it has names of its own";
    EXPECT_THAT(answer_to("POST /v1/executions", "http://flows.example", execution), StartsWith("HTTP/1.1 201"));
    EXPECT_THAT(answer_to("POST /v1/executions", "https://evil.example", execution), StartsWith("HTTP/1.1 403"));
    value_of(store().open_engine()->call(CreateToken{.name = "ci", .scopes = {Scope::read}}));
    await("that a token is asked for", [&] { return http_call(port, "GET", "/v1/executions").status == 401; });
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

TEST_P(HttpAccess, OnlyOperatorsFollowOperatorsAndMoveTheirConsumers) {
    value_of(store().open_engine()->call(RegisterConsumer{Channel::audit, "archive", cursor_at(0)}));
    value_of(store().open_engine()->call(RegisterConsumer{Channel::completion, "archive", cursor_at(0)}));
    const std::string reader = make_token(root(), "reader", "read");
    const auto acknowledge = [&](const std::string& token, const std::string& channel, std::int64_t place) {
        return call(token, "POST", "/v1/consumers/" + channel + "/archive/acknowledge",
                    R"({"cursor":")" + hex_of(cursor_at(place)) + "\"}");
    };
    EXPECT_EQ(acknowledge(reader, "completion", 0).status, 200);
    EXPECT_EQ(acknowledge(reader, "audit", 0).status, 403);
    EXPECT_THAT(acknowledge(reader, "audit", 0).body, HasSubstr("lacks the scope admin"));
    EXPECT_EQ(acknowledge(root(), "audit", 0).status, 200);
    const auto beyond = acknowledge(reader, "completion", 1'000'000'000);
    EXPECT_EQ(beyond.status, 400) << beyond.body;
    EXPECT_THAT(beyond.body, HasSubstr("is behind no event"));
    const std::string late = hex_of(cursor_at(1'000'000'000));
    EXPECT_EQ(call(reader, "HEAD", "/v1/events?channel=completion&from=" + late).status, 400);
    EXPECT_EQ(call(reader, "HEAD", "/v1/events?channel=completion&consumer=archive&from=" + late).status, 400);
    EXPECT_EQ(call(reader, "HEAD", "/v1/events?channel=audit").status, 403);
    EXPECT_EQ(call(root(), "HEAD", "/v1/events?channel=audit").status, 200);
}

}  // namespace
}  // namespace flowfabric::test
