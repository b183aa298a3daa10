#include "e2e/http_test.hpp"
#include "flowfabric/limits.hpp"

// Budgets over HTTP, as published clients know them, and on the command line.
namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace json = boost::json;

class BudgetRoutes : public HttpApi {
  protected:
    static std::string id_of(int number) { return "0190a1b2-0000-7000-8000-00000000000" + std::to_string(number); }
    static std::string path_of(int number) { return "/v1/budgets/" + id_of(number); }

    Finished budget(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "budget");
        arguments.insert(arguments.end(), {"--store", store().url()});
        return run_ff(std::move(arguments));
    }
    HttpAnswer create_budget(int number, const std::string& more = "") const {
        return post("/v1/budgets", R"({"budget_id":")" + id_of(number) +
                                       R"(","scope_type":"tenant","scope_id":"shop","enforcement_mode":"strict",)"
                                       R"("on_hard_limit":"fail","on_soft_limit":"warn","reset_interval_ms":0,)"
                                       R"("dimensions":["tokens"],"hard_limits":[100],"soft_limits":[50],"now":1)" +
                                       more + '}');
    }
    json::value report(int number, int tokens, const std::string& more = "") const {
        const auto answer = post(path_of(number) + "/usage",
                                 R"({"dimensions":{"tokens":)" + std::to_string(tokens) + R"(},"now":1)" + more + '}');
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.json();
    }
    json::value usage(int number) const { return get(path_of(number)).json().at("usage"); }
};
INSTANTIATE_TEST_SUITE_P(Stores, BudgetRoutes, durable_stores(), name_of_param);

TEST_P(BudgetRoutes, HaveThePublishedShapes) {
    const auto created = create_budget(1);
    EXPECT_EQ(created.status, 201);
    EXPECT_EQ(created.json(), json::parse(R"({"Created":{"budget_id":")" + id_of(1) + "\"}}"));
    const auto again = create_budget(1, R"(,"scope_id":"other")");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.json(), json::parse(R"({"AlreadySatisfied":{"budget_id":")" + id_of(1) + "\"}}"));

    EXPECT_EQ(report(1, 40), json::value("Ok"));
    EXPECT_EQ(report(1, 20, R"(,"dedup_key":"k")"),
              json::parse(R"({"SoftBreach":{"dimension":"tokens","current_usage":60,"soft_limit":50}})"));
    EXPECT_EQ(report(1, 20, R"(,"dedup_key":"k")"), json::value("AlreadyApplied"));
    EXPECT_EQ(report(1, 41),
              json::parse(R"({"HardBreach":{"dimension":"tokens","current_usage":60,"hard_limit":100}})"));

    const json::value status = get(path_of(1)).json();
    EXPECT_EQ(status.at("budget_id"), json::value(id_of(1)));
    EXPECT_EQ(status.at("scope_id"), "shop") << "the first definition stands";
    EXPECT_EQ(status.at("enforcement_mode"), "strict");
    EXPECT_EQ(status.at("usage"), json::parse(R"({"tokens":60})"));
    EXPECT_EQ(status.at("hard_limits"), json::parse(R"({"tokens":100})"));
    EXPECT_EQ(status.at("soft_limits"), json::parse(R"({"tokens":50})"));
    EXPECT_EQ(status.at("breach_count"), 1);
    EXPECT_EQ(status.at("soft_breach_count"), 1);
    EXPECT_GT(std::stoll(text(status.at("last_breach_at"))), 1'000'000'000'000);
    EXPECT_GT(std::stoll(text(status.at("created_at"))), 1'000'000'000'000);
    EXPECT_EQ(status.at("last_breach_dim"), "tokens");
    EXPECT_TRUE(status.at("next_reset_at").is_null());

    EXPECT_EQ(post(path_of(1) + "/reset", R"({"now":"whatever"})").json(),
              json::parse(R"({"Reset":{"next_reset_at":0}})"));
    const json::value after = get(path_of(1)).json();
    EXPECT_EQ(after.at("usage"), json::parse(R"({"tokens":0})"));
    EXPECT_TRUE(after.at("last_breach_at").is_null());
    EXPECT_TRUE(after.at("last_breach_dim").is_null());
    EXPECT_EQ(after.at("breach_count"), 1);
}

TEST_P(BudgetRoutes, RefuseWhatIsWrongByName) {
    const auto uneven = post("/v1/budgets", R"({"budget_id":")" + id_of(1) +
                                                R"(","dimensions":["a","b"],"hard_limits":[1],"soft_limits":[0,0]})");
    EXPECT_EQ(uneven.status, 400);
    EXPECT_THAT(uneven.body, HasSubstr("hard_limits"));
    for (const std::string field : {"enforcement_mode", "on_hard_limit", "on_soft_limit"}) {
        const auto unknown = create_budget(1, ",\"" + field + "\":\"explode\"");
        EXPECT_TRUE(unknown.status == 400 || unknown.status == 422) << unknown.body;
        EXPECT_THAT(unknown.body, HasSubstr(field));
    }
    EXPECT_EQ(get(path_of(1)).status, 404);
    EXPECT_EQ(get(path_of(1)).json().at("kind"), "budget_not_found");
    EXPECT_EQ(get("/v1/budgets/none").status, 400);
    EXPECT_EQ(post(path_of(1) + "/usage", R"({"dimensions":{"tokens":1}})").status, 404);
    EXPECT_EQ(post(path_of(1) + "/reset").status, 404);
    EXPECT_EQ(put(path_of(1), R"({"hard_limits":{"tokens":1}})").status, 404);
    create_budget(1);
    for (const std::string amount : {"-1", "1.5", "\"1\"", "9223372036854775808", "18446744073709551616"}) {
        const auto refused = post(path_of(1) + "/usage", R"({"dimensions":{"tokens":)" + amount + "}}");
        EXPECT_TRUE(refused.status == 400 || refused.status == 422) << amount << ": " << refused.body;
        EXPECT_THAT(refused.body, HasSubstr("dimensions"));
    }
    EXPECT_EQ(usage(1), json::parse("{}"));
}

TEST_P(BudgetRoutes, ChargeUnderALeaseAndByExecution) {
    create_budget(1);
    create_budget(2, R"(,"parent_budget_id":")" + id_of(1) + '"');
    const std::string id = create("mail");
    const std::string lease = claim("mail");
    const auto told = post("/v1/tasks/usage", R"({"lease":")" + lease + R"(","budget_id":")" + id_of(2) +
                                                  R"(","dimensions":{"tokens":30}})");
    EXPECT_EQ(told.json(), json::value("Ok")) << told.body;
    const std::string spend = R"({"execution_id":")" + id + R"(","deltas":{"tokens":15},"idempotency_key":"k"})";
    EXPECT_EQ(post(path_of(2) + "/spends", spend).json(), json::value("Ok"));
    EXPECT_EQ(post(path_of(2) + "/spends", spend).json(), json::value("AlreadyApplied"));
    EXPECT_EQ(report(1, 50).at("SoftBreach").at("current_usage"), 95);
    EXPECT_EQ(report(2, 6), json::parse(R"({"HardBreach":{"dimension":"tokens","current_usage":95,"hard_limit":100,)"
                                        R"("budget_id":")" +
                                        id_of(1) + "\"}}"));
    const std::string whose = R"({"execution_id":")" + id + "\"}";
    EXPECT_EQ(post(path_of(2) + "/release", whose).json().at("released"), json::parse(R"({"tokens":15})"));
    EXPECT_EQ(post(path_of(2) + "/release", whose).json().at("released"), json::parse("{}"));
    EXPECT_EQ(usage(1), json::parse(R"({"tokens":80})"));
    EXPECT_EQ(usage(2), json::parse(R"({"tokens":30})"));

    EXPECT_EQ(put(path_of(1), R"({"hard_limits":{"tokens":1000}})").json().at("changed"), true);
    EXPECT_EQ(report(2, 6).at("SoftBreach").at("budget_id"), json::value(id_of(1))) << "refused no more";
    EXPECT_EQ(send("DELETE", path_of(1), "").status, 409);
    EXPECT_EQ(send("DELETE", path_of(2), "").json().at("existed"), true);
    EXPECT_EQ(send("DELETE", path_of(2), "").json().at("existed"), false);
    const json::value page = get("/v1/budgets?limit=5").json();
    ASSERT_EQ(page.at("budgets").as_array().size(), 1U);
    EXPECT_EQ(page.at("budgets").at(0).at("budget_id"), json::value(id_of(1)));
}

TEST_P(BudgetRoutes, AreResetByTheServer) {
    create_budget(1, R"(,"reset_interval_ms":200)");
    report(1, 30);
    while (get(path_of(1)).json().at("reset_count") == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(usage(1), json::parse(R"({"tokens":0})"));
    EXPECT_FALSE(get(path_of(1)).json().at("next_reset_at").is_null());
}

TEST_P(BudgetRoutes, AreReachedByTheCommandLine) {
    const std::string id = id_of(1);
    EXPECT_EQ(budget({"create", id, "--hard", "tokens=100", "--hard", "calls=3", "--soft", "tokens=50", "--every", "1d",
                      "--scope-type", "tenant", "--scope-id", "shop"})
                  .output,
              id + "\n");
    EXPECT_EQ(budget({"report", id, "tokens=40", "calls=1", "--key", "k"}).output, "applied\n");
    EXPECT_THAT(budget({"report", id, "tokens=40", "calls=1", "--key", "k"}).output, StartsWith("applied before"));
    const auto refused = budget({"report", id, "tokens=61"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.output, StartsWith("refused; tokens is at 40"));
    EXPECT_THAT(budget({"show", id}).output, HasSubstr("calls 1/3, tokens 40/100"));
    EXPECT_THAT(budget({"list"}).output, HasSubstr("tenant shop"));
    EXPECT_EQ(budget({"update", id, "--hard", "tokens=200"}).output, id + " changed\n");
    EXPECT_THAT(budget({"report", id, "tokens=61"}).output, StartsWith("applied; tokens is at 101"));
    EXPECT_THAT(budget({"reset", id}).output, StartsWith(id + " reset; the next time at "));
    EXPECT_THAT(budget({"delete", id}).output, HasSubstr("deleted"));
    expect_typed_error(budget({"show", "--json", id}), "budget_not_found");
    expect_typed_error(budget({"show", "--json", "mine"}), "invalid_input");
    EXPECT_EQ(budget({"report", id, "tokens"}).status, 2);
}

}  // namespace
}  // namespace flowfabric::test
