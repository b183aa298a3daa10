#include "server/config/server_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "server/config/otlp_settings.hpp"

namespace flowfabric::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Variables variables(std::map<std::string, std::string> all) {
    return [all = std::move(all)](const std::string& name) {
        const auto found = all.find(name);
        return found == all.end() ? std::nullopt : std::optional(found->second);
    };
}

std::string refusal(const Values& flags, const std::map<std::string, std::string>& environment,
                    const Values& file = {}) {
    const auto config = load_config(flags, variables(environment), file);
    return config ? "accepted" : config.error().detail;
}

TEST(ServerConfig, NothingAtAllServesOnLoopback) {
    const auto config = load_config({}, variables({}), {});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->address, "127.0.0.1");
    EXPECT_EQ(config->port, 9090);
    EXPECT_FALSE(config->api_token);
    EXPECT_THAT(config->lanes, ElementsAre("default"));
}

TEST(ServerConfig, AFlagWinsOverTheEnvironmentAndThatOverTheFile) {
    const Values file{{"listen", "127.0.0.1:1"}, {"log-format", "json"}, {"lanes", "a, b"}};
    const auto environment = variables({{"FF_LISTEN_ADDR", "127.0.0.1:2"}, {"FF_LOG_FORMAT", "text"}});
    const auto config = load_config({{"listen", "[::1]:3"}}, environment, file);
    ASSERT_TRUE(config) << config.error().detail;
    EXPECT_EQ(config->address, "::1");
    EXPECT_EQ(config->port, 3);
    EXPECT_EQ(config->log_form, LogForm::text);
    EXPECT_THAT(config->lanes, ElementsAre("a", "b"));
}

TEST(ServerConfig, AFormerNameOfAVariableWorksAndTheNewOneWins) {
    const auto former = load_config({}, variables({{"FF_MAX_CONCURRENT_TAIL", "7"}}), {});
    ASSERT_TRUE(former) << former.error().detail;
    EXPECT_EQ(former->max_stream_operations, 7U);
    const auto both =
        load_config({}, variables({{"FF_MAX_CONCURRENT_TAIL", "7"}, {"FF_MAX_CONCURRENT_STREAM_OPS", "8"}}), {});
    EXPECT_EQ(both->max_stream_operations, 8U);
    EXPECT_EQ(load_config({}, variables({}), {})->max_stream_operations, 64U);
    EXPECT_THAT(refusal({}, {{"FF_MAX_CONCURRENT_TAIL", "0"}}), HasSubstr("FF_MAX_CONCURRENT_TAIL"));
    EXPECT_THAT(idle_variables({"FF_MAX_CONCURRENT_TAIL", "FF_MAX_CONCURRENT_STREAM_OPS"}), ::testing::IsEmpty());
}

TEST(ServerConfig, AWrongValueIsRefusedByTheNameItWasGivenUnder) {
    EXPECT_THAT(refusal({{"listen", "nowhere"}}, {}), HasSubstr("--listen"));
    EXPECT_THAT(refusal({}, {{"FF_CORS_ORIGINS", ""}}), HasSubstr("FF_CORS_ORIGINS"));
    for (const std::string& secret : {std::string(), std::string("00"), std::string(64, 'x')}) {
        EXPECT_THAT(refusal({}, {{"FF_WAITPOINT_HMAC_SECRET", secret}}),
                    AllOf(HasSubstr("FF_WAITPOINT_HMAC_SECRET"), HasSubstr("64 hex digits")));
    }
    EXPECT_THAT(refusal({}, {{"FF_FLOW_PARTITIONS", "128"}}), HasSubstr("must be 256"));
    EXPECT_THAT(refusal({}, {{"FF_LEASE_EXPIRY_INTERVAL_MS", "0"}}), HasSubstr("FF_LEASE_EXPIRY_INTERVAL_MS"));
    EXPECT_THAT(refusal({}, {{"FF_LANES", " , "}}), HasSubstr("FF_LANES"));
    EXPECT_THAT(refusal({}, {{"FF_API_TOKEN_FILE", "/nonexistent/token"}}), HasSubstr("FF_API_TOKEN_FILE"));
    EXPECT_THAT(refusal({}, {{"FF_STORE_FILE", "/nonexistent/url"}}), HasSubstr("FF_STORE_FILE"));
    EXPECT_THAT(refusal({}, {{"FF_API_TOKEN_FILE", "/dev/zero"}}), HasSubstr("too long for a secret"));
    EXPECT_THAT(refusal({}, {{"FF_API_TOKEN_FILE", "/dev/null"}}), HasSubstr("is empty"));
    EXPECT_THAT(refusal({}, {{"FF_API_TOKEN", "one"}, {"FF_API_TOKEN_FILE", "/dev/null"}}),
                HasSubstr("FF_API_TOKEN is set as well"));
    EXPECT_THAT(refusal({}, {}, {{"colour", "blue"}}), HasSubstr("colour"));
    EXPECT_THAT(refusal({{"tls-key", "key.pem"}}, {}), HasSubstr("tls-certificate"));
}

std::string store_by(const std::map<std::string, std::string>& environment) {
    const auto config = load_config({}, variables(environment), {});
    return config ? config->store : config.error().detail;
}

TEST(ServerConfig, TheStoreIsNamedByItsUrlOrByItsBackend) {
    const std::string postgres = "postgres://db/flows";
    EXPECT_EQ(store_by({}), "");
    EXPECT_EQ(store_by({{"FF_SQLITE_PATH", "/tmp/x.db"}}), "sqlite:/tmp/x.db");
    EXPECT_EQ(store_by({{"FF_SQLITE_PATH", ":memory:"}}), "memory:");
    EXPECT_EQ(store_by({{"FF_BACKEND", "Postgres"}, {"FF_POSTGRES_URL", postgres}}), postgres);
    EXPECT_EQ(store_by({{"FF_POSTGRES_URL", postgres}}), "") << "SQLite is the backend unless another is named";
    EXPECT_EQ(store_by({{"FF_STORE", "sqlite:/tmp/y.db"}, {"FF_BACKEND", "postgres"}, {"FF_POSTGRES_URL", postgres}}),
              "sqlite:/tmp/y.db");
    EXPECT_THAT(store_by({{"FF_BACKEND", "postgres"}}), HasSubstr("FF_POSTGRES_URL"));
    EXPECT_THAT(store_by({{"FF_BACKEND", "valkey"}}), HasSubstr("FF_BACKEND"));
}

TEST(ServerConfig, AFileIsLinesOfNamesAndValues) {
    const auto values = parse_config_file("# ours\n\nlisten = \"127.0.0.1:7\"\n lanes=a,b \n");
    ASSERT_TRUE(values) << values.error().detail;
    EXPECT_EQ(*values, (Values{{"listen", "127.0.0.1:7"}, {"lanes", "a,b"}}));
    const auto refused = [](std::string_view text) {
        const auto result = parse_config_file(text);
        return result ? "accepted" : result.error().detail;
    };
    EXPECT_THAT(refused("lanes = a\nnonsense\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("lanes = \"a\n"), HasSubstr("line 1"));
    EXPECT_THAT(refused("lanes = a\nlanes = b\n"), HasSubstr("lanes"));
}

TEST(ServerConfig, WhatIsPrintedCanBeRead) {
    const auto config = load_config({{"lanes", "a,b"}, {"log-level", "warn"}}, variables({}), {});
    ASSERT_TRUE(config);
    const auto values = parse_config_file(print_config(*config));
    ASSERT_TRUE(values) << values.error().detail;
    const auto again = load_config({}, variables({}), *values);
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(print_config(*again), print_config(*config));
}

TEST(ServerConfig, IntervalsReachTheReconcilerInItsUnit) {
    const auto config = load_config(
        {}, variables({{"FF_LEASE_EXPIRY_INTERVAL_MS", "250"}, {"FF_ATTEMPT_TIMEOUT_INTERVAL_S", "3"}}), {});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->reconcilers.at("lease_expiry").interval, std::chrono::milliseconds(250));
    EXPECT_EQ(config->reconcilers.at("attempt_timeout").interval, std::chrono::seconds(3));
}

TEST(ServerConfig, SecretsHaveNoWhiteSpaceAroundThem) {
    const auto config = load_config({}, variables({{"FF_API_TOKEN", " secret \r\n"}}), {});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->api_token, "secret");
}

TEST(ServerConfig, SecretsAreNeverPrinted) {
    const auto config = load_config({}, variables({{"FF_API_TOKEN", "hush"}}), {});
    ASSERT_TRUE(config);
    EXPECT_EQ(config->api_token, "hush");
    EXPECT_THAT(print_config(*config), AllOf(Not(HasSubstr("hush")), HasSubstr("api-token = \"(set)\"")));
    EXPECT_THAT(print_config(*config), HasSubstr("listen = \"127.0.0.1:9090\""));
}

std::string traces_url(const Values& flags, const std::map<std::string, std::string>& environment) {
    const auto config = load_config(flags, variables(environment), {});
    return config ? otlp_traces_url(*config) : config.error().detail;
}

TEST(ServerConfig, TracesGoNowhereUnlessACollectorIsNamed) {
    const std::string base = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const std::string exact = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
    EXPECT_EQ(traces_url({}, {}), "");
    EXPECT_EQ(traces_url({}, {{base, ""}}), "");
    EXPECT_EQ(traces_url({{"otlp-endpoint", "http://a:4318/"}}, {}), "http://a:4318/v1/traces");
    EXPECT_EQ(traces_url({}, {{base, "https://a/otlp"}}), "https://a/otlp/v1/traces");
    EXPECT_EQ(traces_url({}, {{base, "http://a"}, {exact, "http://b/here"}}), "http://b/here");
    EXPECT_EQ(traces_url({{"otlp-endpoint", "http://c"}}, {{base, "http://a"}, {exact, "http://b/here"}}),
              "http://c/v1/traces")
        << "ours win over OpenTelemetry's";
    EXPECT_EQ(traces_url({}, {{"FF_OTLP_ENDPOINT", ""}, {base, "http://a"}}), "") << "which is how to turn it off";
    EXPECT_EQ(traces_url({}, {{"FF_OTLP_TRACES_ENDPOINT", "http://d/x"}, {exact, "http://b/here"}}), "http://d/x");
}

TEST(ServerConfig, ACollectorThatCannotBeReadIsRefusedByTheNameItWasGivenUnder) {
    EXPECT_THAT(refusal({{"otlp-endpoint", "collector:4317"}}, {}), HasSubstr("--otlp-endpoint"));
    EXPECT_THAT(refusal({}, {{"FF_OTLP_TRACES_ENDPOINT", "http://me:hush@a/x"}}),
                AllOf(HasSubstr("FF_OTLP_TRACES_ENDPOINT"), Not(HasSubstr("hush"))));
    EXPECT_THAT(refusal({}, {{"OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://a"}}), HasSubstr("OTEL_EXPORTER_OTLP_ENDPOINT"));
    EXPECT_THAT(refusal({}, {{"FF_OTLP_SERVICE_NAME", "a\nb"}}), HasSubstr("FF_OTLP_SERVICE_NAME"));
    for (const char* headers : {"hush", "a b=hush", "a=hush%2", "a=hush%zz", "a=hush%0A", "content-type=hush"}) {
        EXPECT_THAT(refusal({}, {{"OTEL_EXPORTER_OTLP_HEADERS", headers}}),
                    AllOf(HasSubstr("OTEL_EXPORTER_OTLP_HEADERS"), Not(HasSubstr("hush"))))
            << headers;
    }
}

TEST(ServerConfig, HeadersForTheCollectorAreASecret) {
    const std::string headers = "Authorization=Basic%20aHVzaA==, x-team = flows ,";
    const auto config = load_config({}, variables({{"OTEL_EXPORTER_OTLP_HEADERS", headers}}), {});
    ASSERT_TRUE(config) << config.error().detail;
    EXPECT_THAT(*parse_otlp_headers(config->otlp_headers),
                ElementsAre(testing::Pair("Authorization", "Basic aHVzaA=="), testing::Pair("x-team", "flows")));
    EXPECT_THAT(print_config(*config), AllOf(Not(HasSubstr("aHVzaA")), HasSubstr("# otlp-headers = \"(set)\"")));
    const auto ours =
        load_config({}, variables({{"OTEL_EXPORTER_OTLP_HEADERS", headers}, {"FF_OTLP_HEADERS", ""}}), {});
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->otlp_headers, "");
}

TEST(ServerConfig, AServiceHasTheNameThatOpenTelemetryGivesItUnlessItHasOneOfOurs) {
    const std::string common = "OTEL_SERVICE_NAME";
    EXPECT_EQ(load_config({}, variables({}), {})->otlp_service_name, "flowfabric");
    EXPECT_EQ(load_config({}, variables({{common, "shop"}}), {})->otlp_service_name, "shop");
    EXPECT_EQ(load_config({{"otlp-service-name", "jobs"}}, variables({{common, "shop"}}), {})->otlp_service_name,
              "jobs");
}

TEST(ServerConfig, EachSettingHasANameAndAVariableOfItsOwn) {
    std::set<std::string_view> names;
    for (const ServerSetting& setting : server_settings()) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
        EXPECT_TRUE(names.insert(setting.variable).second) << setting.variable;
        EXPECT_TRUE(setting.variable.starts_with("FF_"));
        EXPECT_FALSE(setting.help.empty());
    }
}

TEST(ServerConfig, AMisspeltVariableIsNoticed) {
    EXPECT_THAT(idle_variables({"PATH", "FF_LISTEN_ADR", "FF_LISTEN_ADDR", "FF_API_TOKEN_FILE", "FF_STORE",
                                "FF_STORE_FILE", "FF_LISTEN_ADDR_FILE"}),
                ElementsAre("FF_LISTEN_ADR is not a known variable", "FF_LISTEN_ADDR_FILE is not a known variable"));
}

TEST(ServerConfig, ASizeOfAPoolIsCheckedAndWithoutEffect) {
    for (const std::string name : {"FF_POSTGRES_POOL_SIZE", "FF_SQLITE_POOL_SIZE"}) {
        for (const char* wrong : {"abc", "0", "-1", "", "10 "}) {
            EXPECT_THAT(refusal({}, {{name, wrong}}), HasSubstr(name)) << '"' << wrong << '"';
        }
        EXPECT_EQ(refusal({}, {{name, "10"}}), "accepted");
        EXPECT_THAT(idle_variables({name}), ElementsAre(HasSubstr(name + " has no effect")));
    }
}

}  // namespace
}  // namespace flowfabric::server
