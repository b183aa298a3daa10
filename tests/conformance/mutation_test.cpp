#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "conformance/damaged_store.hpp"
#include "conformance/flowing.hpp"
#include "conformance/suspending.hpp"

// Stored rows that are damaged: each column of each table in turn, with every kind of value that does not belong there.
namespace flowfabric::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

auto durable_stores() {
    return ::testing::Values(StoreKind::sqlite, StoreKind::postgres);
}

void await(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) throw std::runtime_error("what must come did not come");
        std::this_thread::sleep_for(10ms);
    }
}

class MutationTest : public ::testing::TestWithParam<StoreKind> {
  protected:
    void SetUp() override {
        if (!have_store(GetParam())) return;
        store_ = std::make_unique<LiveStore>(GetParam());
        raw_ = std::make_unique<DamagedStore>(*store_, GetParam());
        EngineOptions options;
        options.run_reconcilers = false;
        options.command_deadline = 5s;
        engine_ = store_->open_engine(std::move(options));
        backend_ = store_->open_backend();
        reconciling_ = std::make_unique<Simulation>(backend_, SimulationOptions{});
    }

    Engine& engine() { return *engine_; }
    DamagedStore& raw() { return *raw_; }
    void reconcile() { reconciling_->reconcile(); }

    ExecutionId create(const std::string& lane, CreateExecution command = {}) {
        command.lane_id = lane;
        return value_of(engine().create_execution(std::move(command))).execution_id;
    }
    static Claim claim_on(const std::string& lane, std::uint32_t count = 1) {
        Claim command = claim_by("w1");
        command.lanes = {lane};
        command.max_count = count;
        command.lease_ttl_ms = 3'600'000;
        return command;
    }
    ClaimedExecution claim(const std::string& lane) {
        return value_of(engine().claim(claim_on(lane))).executions.at(0);
    }
    std::vector<ExecutionId> listed() {
        std::vector<ExecutionId> ids;
        for (const ExecutionView& view : value_of(engine().list_executions({.limit = 1000})).executions) {
            ids.push_back(view.execution_id);
        }
        return ids;
    }
    void damage(const ExecutionId& id, const std::string& assignment) {
        raw().execute("UPDATE ff_exec_core SET " + assignment + " WHERE execution_id = " + raw().literal(id.uuid));
    }
    Finding rows_finding() {
        const auto findings = backend_->examine();
        if (!findings) throw std::runtime_error(findings.error().detail);
        const auto found = std::ranges::find(*findings, "rows", &Finding::check);
        if (found == findings->end()) throw std::runtime_error("the rows were not looked at");
        return *found;
    }

  private:
    std::unique_ptr<LiveStore> store_;
    std::unique_ptr<DamagedStore> raw_;
    std::unique_ptr<Engine> engine_;
    std::shared_ptr<Backend> backend_;
    std::unique_ptr<Simulation> reconciling_;
};
INSTANTIATE_TEST_SUITE_P(Stores, MutationTest, durable_stores(), name_of_param);

// ---- one row at a time ------------------------------------------------------------------------------------------

TEST_P(MutationTest, AnUnknownPhaseHoldsUpNoListAndNoClaimOfItsLane) {
    const ExecutionId poison = create("shared", {.priority = 100});
    const ExecutionId behind = create("shared");
    damage(poison, "lifecycle_phase = 'no such phase'");
    EXPECT_THAT(listed(), ElementsAre(behind));
    EXPECT_EQ(claim("shared").execution_id, behind);
    EXPECT_TRUE(value_of(engine().claim(claim_on("shared"))).executions.empty());
    expect_error(engine().describe_execution(poison), ErrorKind::corruption, "lifecycle_phase");
    expect_error(engine().cancel_execution({.execution = {.execution_id = poison}}), ErrorKind::corruption,
                 "lifecycle_phase");
    reconcile();

    damage(poison, "lifecycle_phase = 'runnable'");
    EXPECT_EQ(claim("shared").execution_id, poison);
}

TEST_P(MutationTest, ManyDamagedRowsAtTheHeadOfALaneHideNoneBehindThem) {
    for (int i = 0; i < 40; ++i) damage(create("shared", {.priority = 100}), "lifecycle_phase = 'no such phase'");
    const ExecutionId behind = create("shared");
    EXPECT_EQ(claim("shared").execution_id, behind);
    EXPECT_THAT(value_of(engine().list_executions({.limit = 1})).executions,
                ElementsAre(::testing::Field(&ExecutionView::execution_id, behind)));
}

TEST_P(MutationTest, DamagedRowsAtTheHeadsOfManyClassesHideNoOtherClass) {
    Claim command = claim_on("shared");
    for (unsigned bit = 0; bit < 7; ++bit) command.capabilities.push_back("c" + std::to_string(bit));
    const auto create_in = [&](unsigned number, std::int32_t priority) {
        CreateExecution wanted{.priority = priority};
        auto& required = wanted.policy.emplace().routing_requirements.emplace().required_capabilities;
        for (unsigned bit = 0; bit < 7; ++bit) {
            if ((number >> bit & 1U) != 0) required.push_back(command.capabilities[bit]);
        }
        return create("shared", std::move(wanted));
    };
    std::set<ExecutionId> sound;
    for (unsigned number = 1; number < 80; ++number) {
        if (number <= 40) damage(create_in(number, 100), "lifecycle_phase = 'no such phase'");
        if (number > 40) sound.insert(create_in(number, 1));
    }
    const auto claimed = value_of(engine().claim(command)).executions;
    ASSERT_EQ(claimed.size(), 1U);
    EXPECT_TRUE(sound.contains(claimed.front().execution_id));
}

TEST_P(MutationTest, AnUnknownLaneStateCostsOnlyItsOwnLane) {
    const ExecutionId hidden = create("poisoned");
    create("sound");
    raw().execute("UPDATE ff_lane_registry SET lane_state = 'ajar' WHERE lane_id = 'poisoned'");
    raw().execute("UPDATE ff_partition_config SET lane_revision = lane_revision + 1");
    create("sound");
    EXPECT_EQ(value_of(engine().claim(claim_on("sound", 10))).executions.size(), 2U);
    expect_error(engine().create_execution({.lane_id = "poisoned"}), ErrorKind::corruption, "poisoned");
    EXPECT_TRUE(value_of(engine().claim(claim_on("poisoned"))).executions.empty());
    expect_error(engine().set_lane_state({.lane_id = "poisoned", .state = LaneState::paused}), ErrorKind::corruption,
                 "poisoned");
    std::set<std::string> lanes;
    for (const LaneView& lane : value_of(engine().list_lanes()).lanes) lanes.insert(lane.lane_id);
    EXPECT_THAT(lanes, Contains("sound"));
    EXPECT_THAT(lanes, Not(Contains("poisoned")));

    raw().execute("UPDATE ff_lane_registry SET lane_state = 'active' WHERE lane_id = 'poisoned'");
    raw().execute("UPDATE ff_partition_config SET lane_revision = lane_revision + 1");
    EXPECT_EQ(claim("poisoned").execution_id, hidden);
}

TEST_P(MutationTest, ANullAmongTheCapabilitiesOfAClassCostsOnlyThatClass) {
    if (GetParam() != StoreKind::postgres) GTEST_SKIP() << "only PostgreSQL has arrays";
    create("poisoned");
    for (const std::string damage : {"ARRAY[NULL]::text[]", "ARRAY[['a'], ['b']]"}) {
        raw().execute("UPDATE ff_claim_class SET required_capabilities = " + damage + " WHERE lane_id = 'poisoned'");
        raw().execute("UPDATE ff_partition_config SET lane_revision = lane_revision + 1");
        const ExecutionId id = create("sound");
        EXPECT_EQ(claim("sound").execution_id, id) << damage;
    }
}

TEST_P(MutationTest, ADamagedLaneIsNotTakenForANewOne) {
    create("poisoned");
    EXPECT_EQ(value_of(engine().describe_lane("poisoned"))->state, LaneState::active);
    EXPECT_EQ(value_of(engine().describe_lane("nowhere")), std::nullopt);
    raw().execute("UPDATE ff_lane_registry SET lane_state = 'ajar' WHERE lane_id = 'poisoned'");
    expect_error(engine().describe_lane("poisoned"), ErrorKind::corruption, "ff_lane_registry poisoned");
}

TEST_P(MutationTest, AGroupWithMoreResolvedEdgesThanEdgesIsDamaged) {
    const auto flow = value_of(engine().submit_flow(graph_of({"a", "b"}, fan_in({"a"}, "b"))));
    for (const std::string damage : {"n = -1", "success_count = 2147483647", "fail_count = -5"}) {
        const std::string column = damage.substr(0, damage.find(' '));
        const std::string sound = raw().one_text("SELECT " + column + " FROM ff_edge_group");
        raw().execute("UPDATE ff_edge_group SET " + damage);
        expect_error(engine().describe_flow(flow.flow_id), ErrorKind::corruption, "ff_edge_group");
        EXPECT_THAT(rows_finding().detail, HasSubstr("ff_edge_group")) << damage;
        raw().execute("UPDATE ff_edge_group SET " + column + " = " + sound);
    }
    value_of(engine().complete({.lease = claim("a").handle}));
    await([&] {
        reconcile();
        return value_of(engine().read_execution_state(flow.members.at(1))) == PublicState::waiting;
    });
}

TEST_P(MutationTest, TheDoctorNamesADamagedRow) {
    const ExecutionId poison = create("shared");
    EXPECT_EQ(rows_finding().level, Finding::Level::fine) << rows_finding().detail;
    damage(poison, "attempt_state = 'no such state'");
    const Finding finding = rows_finding();
    EXPECT_EQ(finding.level, Finding::Level::danger);
    EXPECT_THAT(finding.detail, HasSubstr("ff_exec_core " + poison.to_string()));
    EXPECT_THAT(finding.detail, HasSubstr("attempt_state"));
    EXPECT_FALSE(finding.remedy.empty());
}

TEST_P(MutationTest, ADamagedPolicyEndsItsExecutionInsteadOfCyclingForEver) {
    const ExecutionId poison = create("shared", {.policy = retries(5, 1)});
    damage(poison, R"(policy = '{"retry_policy": 7}')");
    const ClaimedExecution held = claim("shared");
    value_of(engine().fail({.lease = held.handle, .reason = "boom"}));
    EXPECT_EQ(value_of(engine().read_execution_state(poison)), PublicState::failed);
}

TEST_P(MutationTest, ADamagedRetentionTimeInAPolicyHoldsUpNoCountOfFlows) {
    const auto poisoned = value_of(engine().submit_flow(graph_of({"a", "b"})));
    const auto sound = value_of(engine().submit_flow(graph_of({"c"})));
    for (const std::string value : {R"("x")", "-1", "1e400", "{}"}) {
        damage(poisoned.members.at(0), R"(policy = '{"stream_policy": {"retention_ttl_ms": )" + value + "}}'");
        EXPECT_EQ(value_of(engine().describe_flow(poisoned.flow_id))->state, FlowPhase::open) << value;
    }
    reconcile();
    for (const FlowId& id : {poisoned.flow_id, sound.flow_id}) {
        EXPECT_TRUE(value_of(engine().get_flow_summary(id))) << id.to_string();
    }
    value_of(engine().complete({.lease = claim("a").handle}));
    value_of(engine().complete({.lease = claim("b").handle}));
    await([&] { return value_of(engine().describe_flow(poisoned.flow_id))->state == FlowPhase::completed; });
}

TEST_P(MutationTest, AnEdgeInAnUnknownStateLetsItsFlowGoOnOnceItIsRepaired) {
    const auto flow = value_of(engine().submit_flow(graph_of({"a", "b"}, fan_in({"a"}, "b"))));
    raw().execute("UPDATE ff_edge SET dependency_state = 'no such state'");
    value_of(engine().complete({.lease = claim("a").handle}));
    const std::string undispatched = "SELECT count(*) FROM ff_completion_event WHERE dispatched_at_ms IS NULL";
    await([&] { return raw().one_text(undispatched) == "0"; });
    reconcile();
    EXPECT_EQ(value_of(engine().read_execution_state(flow.members.at(1))), PublicState::waiting_children);

    raw().execute("UPDATE ff_edge SET dependency_state = 'unsatisfied'");
    await([&] {
        reconcile();
        return value_of(engine().read_execution_state(flow.members.at(1))) == PublicState::waiting;
    });
    EXPECT_EQ(claim("b").execution_id, flow.members.at(1));
}

// ---- each column of each table ----------------------------------------------------------------------------------

// Rows in as many tables as can be, and those that must not be held up by them.
class DamagedWorldTest : public MutationTest {
  protected:
    void build() {
        value_of(engine().seed_waitpoint_hmac_secret({"k1", std::string(64, 'a')}));
        value_of(engine().register_worker({.worker_id = "w1", .worker_instance_id = "w1-1", .lanes = {"shared"}}));
        value_of(
            engine().register_consumer({.channel = Channel::completion, .consumer = "reader", .cursor = cursor_at(0)}));
        value_of(engine().set_worker_mode({.worker_id = "w2", .mode = WorkerMode::quiet}));
        create("victim");

        create("shared", {.input_payload = "in", .idempotency_key = "key"});
        const ClaimedExecution ended = claim("shared");
        value_of(engine().complete({.lease = ended.handle, .result = "out"}));
        create("shared", {.policy = retries(3, 3'600'000)});
        const ClaimedExecution delayed = claim("shared");
        value_of(engine().fail({.lease = delayed.handle, .reason = "boom"}));
        create("shared");
        const ClaimedExecution suspended = claim("shared");
        value_of(engine().suspend(keyed(until_signal(suspended.handle), "once")));
        create("shared");
        Claim repeatable = claim_on("shared");
        repeatable.request_id = "r1";
        repeatable.lease_ttl_ms = 3'600'000;  // it holds until the last column is damaged
        const ClaimedExecution active = value_of(engine().claim(repeatable)).executions.at(0);
        value_of(engine().append_frame({.lease = active.handle, .payload = "x"}));
        value_of(engine().append_frame({.lease = active.handle, .payload = "{}", .mode = FrameMode::summary}));
        putting_out_ = active;
        victims_ = {ended.execution_id, delayed.execution_id, suspended.execution_id, active.execution_id,
                    create("shared", {.input_payload = "in", .priority = 100, .policy = retries(3, 1000)})};

        const auto flow = value_of(engine().submit_flow(graph_of({"a", "b", "c"}, fan_in({"a", "b"}, "c"))));
        flow_ = flow.flow_id;
        victims_.insert(victims_.end(), flow.members.begin(), flow.members.end());
        value_of(engine().complete({.lease = claim("a").handle, .result = "out"}));
        reconcile();
        kept_ = create("kept");
        // This engine takes nothing in.
        if (raw().is_postgres()) {
            submitted_ = value_of(ExecutionId::parse(
                raw().one_text("SELECT ff_create_execution('mail', 'in', lane_id => 'submitted', idempotency_key => "
                               "'inbox', tags => '{\"order.id\": \"17\"}', policy => '{\"retry_policy\": null}')")));
        }
    }

    // Whose rows of the table are damaged.
    std::string victims_of(const std::string& table) {
        const auto has = [&](const std::string& name) {
            return std::ranges::any_of(every_column_, [&](const StoredColumn& column) {
                return column.table == table && column.name == name;
            });
        };
        const auto condition = [&](const std::string& column) {
            if (column == "flow_id") return "flow_id = " + raw().literal(flow_.uuid);
            if (column == "lane_id") return std::string("lane_id = 'victim'");
            std::string ids;
            for (const ExecutionId& id : victims_) ids += (ids.empty() ? "" : ", ") + raw().literal(id.uuid);
            return "execution_id IN (" + ids + ")";
        };
        // A key names what it is of, and is not among the columns.
        static const std::map<std::string, std::string> by_key{{"ff_exec_core", "execution_id"},
                                                               {"ff_exec_input", "execution_id"},
                                                               {"ff_exec_result", "execution_id"},
                                                               {"ff_attempt", "execution_id"},
                                                               {"ff_flow_core", "flow_id"},
                                                               {"ff_flow_summary", "flow_id"},
                                                               {"ff_edge", "flow_id"},
                                                               {"ff_edge_group", "flow_id"},
                                                               {"ff_lane_registry", "lane_id"},
                                                               {"ff_claim_class", "lane_id"},
                                                               {"ff_suspension_current", "execution_id"},
                                                               {"ff_stream_meta", "execution_id"},
                                                               {"ff_stream_frame", "execution_id"},
                                                               {"ff_stream_summary", "execution_id"}};
        if (const auto key = by_key.find(table); key != by_key.end()) return condition(key->second);
        return has("execution_id") ? condition("execution_id") : "true";
    }

    static std::vector<std::string> values_for(const StoredColumn& column) {
        static const std::map<std::string, std::vector<std::string>> by_type{
            {"int2", {"-32768", "32767"}},
            {"int4", {"-2147483648", "2147483647", "-1"}},
            {"int8", {"-9223372036854775808", "9223372036854775807", "-1"}},
            {"INTEGER", {"-9223372036854775808", "9223372036854775807", "-1"}},
            {"text", {"''", "'no such literal'"}},
            {"TEXT", {"''", "'no such literal'", "'{\"broken'"}},
            {"_text", {"ARRAY[NULL]::text[]", "ARRAY[['a'], ['b']]", "'{}'"}},
            {"jsonb", {"'[]'", "'7'", "'{\"retry_policy\": 7, \"a\": {}}'"}},
            {"bytea", {"''", "'\\x01'"}},
            {"BLOB", {"x''", "x'01'"}},
            {"bool", {"NOT " + column.name}},
            {"uuid", {"'00000000-0000-0000-0000-000000000000'"}}};
        const auto found = by_type.find(column.type);
        std::vector<std::string> values = found == by_type.end() ? std::vector<std::string>{} : found->second;
        if (column.name == "policy") values.emplace_back(R"('{"stream_policy": {"retention_ttl_ms": "x"}}')");
        values.emplace_back("NULL");
        return values;
    }

    // Of other tables all rows: the damage may be to what tells whose they are.
    std::string saved_of(const std::string& table) { return table == "ff_exec_core" ? victims_of(table) : "true"; }
    void back_up(const std::string& table) {
        raw().execute("CREATE TABLE IF NOT EXISTS spare_" + table + " AS SELECT * FROM " + table + " WHERE " +
                      saved_of(table));
    }
    void restore(const std::string& table) {
        const std::string overriding = raw().is_postgres() ? " OVERRIDING SYSTEM VALUE" : "";
        raw().execute("BEGIN; DELETE FROM " + table + " WHERE " + saved_of(table) + "; INSERT INTO " + table +
                      overriding + " SELECT * FROM spare_" + table + "; COMMIT");
    }

    // What does not ask for a damaged row succeeds; what does gets a value or an error that names the damage.
    void operate(const std::string& where) {
        const auto must = [&](const char* what, const auto& result) {
            if (!result) problems_.insert(where + ": " + what + ": " + to_string(result.error()));
            return static_cast<bool>(result);
        };
        const auto may = [&](const char* what, const auto& result) {
            using enum ErrorKind;
            static const std::set<ErrorKind> untyped{transport,          timeout, unavailable, retry_exhausted,
                                                     resource_exhausted, internal};
            if (!result && untyped.contains(result.error().kind)) must(what, result);
        };
        must("list", engine().list_executions({.limit = 1000}));
        must("lanes", engine().list_lanes());
        must("workers", engine().list_workers());
        must("consumers", engine().list_consumers());
        must("suspended", engine().list_suspended());
        must("expired leases", engine().list_expired_leases());
        must("flows", engine().list_flows({.partition = flow_partition(flow_)}));
        must("describe another", engine().describe_execution(kept_));
        must("explain another", engine().explain_execution(kept_));
        const auto created = engine().create_execution({.lane_id = "shared"});
        if (must("submit", created)) work_on(created->execution_id, where, must);
        for (const ExecutionId& id : victims_) {
            may("describe", engine().describe_execution(id));
            may("attempts", engine().list_attempts(id));
        }
        may("explain", engine().explain_execution(victims_[4]));
        may("tag", engine().set_execution_tags({.execution_id = victims_[4], .tags = {{"app.team", "blue"}}}));
        may("flow", engine().describe_flow(flow_));
        may("edges", engine().list_edges({.flow_id = flow_, .execution_id = victims_[5]}));
        may("append", engine().append_frame({.lease = putting_out_.handle, .payload = "x"}));
        may("patch",
            engine().append_frame({.lease = putting_out_.handle, .payload = R"({"a":1})", .mode = FrameMode::summary}));
        may("read a stream", engine().read_stream({.execution_id = putting_out_.execution_id}));
        may("tail", engine().tail_stream({.execution_id = putting_out_.execution_id}));
        may("read a summary", engine().read_stream_summary(putting_out_.execution_id, 0));
        may("submit to its lane", engine().create_execution({.lane_id = "victim"}));
        if (submitted_) {
            may("describe what is submitted", engine().describe_execution(*submitted_));
            may("explain what is submitted", engine().explain_execution(*submitted_));
            may("read what is submitted", engine().get_execution_input(*submitted_));
        }
        reconcile();
    }

    template <class Must>
    void work_on(const ExecutionId& id, const std::string& where, const Must& must) {
        const auto claimed = engine().claim(claim_on("shared", 100));
        if (!must("claim", claimed)) return;
        const auto own = std::ranges::find(claimed->executions, id, &ClaimedExecution::execution_id);
        if (own == claimed->executions.end()) {
            problems_.insert(where + ": claim: did not find another execution of its lane");
            return;
        }
        must("complete", engine().complete({.lease = own->handle}));
    }

    std::vector<StoredColumn> every_column_;
    std::vector<ExecutionId> victims_;
    FlowId flow_;
    ExecutionId kept_;
    std::optional<ExecutionId> submitted_;  // from SQL
    ClaimedExecution putting_out_;
    std::set<std::string> problems_;
};
INSTANTIATE_TEST_SUITE_P(Stores, DamagedWorldTest, durable_stores(), name_of_param);

TEST_P(DamagedWorldTest, EveryColumnOfEveryTableCostsOnlyWhatAsksForIt) {
    build();
    every_column_ = raw().columns();
    ASSERT_GT(every_column_.size(), 200U);
    back_up("ff_exec_core");
    std::size_t damaged = 0;
    std::set<std::string> filled;  // tables with rows to damage
    std::set<std::string> reached;
    for (const StoredColumn& column : every_column_) {
        back_up(column.table);
        if (raw().one_text("SELECT count(*) FROM " + column.table + " WHERE " + victims_of(column.table)) != "0") {
            filled.insert(column.table);
        }
        for (const std::string& value : values_for(column)) {
            if (raw().change(column, value, victims_of(column.table)) == 0) continue;
            ++damaged;
            reached.insert(column.table);
            operate(column.table + "." + column.name + " = " + value);
            restore(column.table);
            if (column.table != "ff_exec_core") restore("ff_exec_core");
        }
    }
    EXPECT_GT(damaged, 300U);
    EXPECT_EQ(reached, filled);
    EXPECT_EQ(reached.contains("ff_submission"), raw().is_postgres());
    std::string all;
    for (const std::string& problem : problems_) all += "\n" + problem;
    EXPECT_TRUE(problems_.empty()) << problems_.size() << " of " << damaged << ":" << all;
}

}  // namespace
}  // namespace flowfabric::test
