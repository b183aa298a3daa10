#include <csignal>

#include "e2e/e2e_test.hpp"

// `ff flow …`, with real processes.
namespace flowfabric::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The left side gets the source's result, the sink the left side's.
constexpr std::string_view diamond = R"({
    "flow_kind": "report",
    "tags": {"team.name": "blue"},
    "nodes": [
        {"name": "source", "execution": {"execution_kind": "source", "lane_id": "reports", "input": "november"}},
        {"name": "left", "execution": {"execution_kind": "left", "lane_id": "reports", "priority": 5}},
        {"name": "right", "execution": {"execution_kind": "other", "lane_id": "reports", "input": {"month": 11}},
         "policy": {"kind": "quorum", "k": 1, "on_satisfied": "let_run"}},
        {"name": "sink", "execution": {"execution_kind": "sink", "lane_id": "reports"}}
    ],
    "edges": [
        {"from": "source", "to": "left", "data_passing_ref": "month"},
        {"from": "source", "to": "right"},
        {"from": "left", "to": "sink", "data_passing_ref": "report"},
        {"from": "right", "to": "sink"}
    ]
})";

class FlowCommand : public EndToEnd {
  protected:
    // `ff flow COMMAND --store … ARGUMENTS`
    Finished flow(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, {"--store", store().url()});
        arguments.insert(arguments.begin(), "flow");
        return run_ff(std::move(arguments));
    }
    Finished flow_as_json(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin() + 1, "--json");
        return flow(std::move(arguments));
    }
    boost::json::object flow_json(std::vector<std::string> arguments) {
        const Finished finished = flow_as_json(std::move(arguments));
        if (finished.status != 0) throw std::runtime_error(finished.errors);
        return boost::json::parse(finished.output).as_object();
    }

    Finished submit_text(std::string_view text) {
        const ScratchFile file;
        std::ofstream(file.path()) << text;
        return flow_as_json({"submit", file.path()});
    }
    void submit_diamond() {
        const Finished finished = submit_text(diamond);
        ASSERT_EQ(finished.status, 0) << finished.errors;
        const auto submitted = boost::json::parse(finished.output).as_object();
        EXPECT_FALSE(submitted.at("already_there").as_bool());
        id_ = submitted.at("flow_id").as_string();
        const auto& ids = submitted.at("members").as_array();
        ASSERT_EQ(ids.size(), 4U);
        // In the order of the nodes.
        members_ = {{"source", text(ids[0])}, {"left", text(ids[1])}, {"right", text(ids[2])}, {"sink", text(ids[3])}};
    }
    // A program that wraps its input in its kind.
    std::vector<std::string> worker() {
        return command({"worker", "--lane", "reports", "--", "sh", "-c", R"sh(printf '%s(%s)' "$FF_KIND" "$(cat)")sh"});
    }
    std::string flow_state(const std::string& id) {
        return std::string(flow_json({"show", id}).at("state").as_string());
    }
    // On its own row, which is behind its members'.
    std::string stored_status(const std::string& id) {
        const auto page = flow_json({"list"});
        for (const auto& flow : page.at("flows").as_array()) {
            if (flow.at("flow_id").as_string() == id) return std::string(flow.at("status").as_string());
        }
        return {};
    }
    void run_to_the_end() {
        Process process(worker());
        await("the end of the flow", [&] { return stored_status(id_) == "Completed"; });
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait(), 0);
    }
    // Of the diamond that was submitted last.
    const std::string& flow_id() const { return id_; }
    const std::map<std::string, std::string>& members() const { return members_; }
    const std::string& member(const std::string& name) const { return members_.at(name); }
    std::string result_of_member(const std::string& name) { return result_of(member(name)); }
    std::vector<std::string> member_states() {
        std::vector<std::string> states;
        states.reserve(members_.size());
        for (const auto& [name, id] : members_) states.push_back(state_of(id));
        return states;
    }
    void expect_nothing_stored() {
        const Dump stored = snapshot();
        EXPECT_TRUE(stored.executions.empty());
        EXPECT_TRUE(stored.of<FlowRow>().empty());
    }

  private:
    std::string id_;
    std::map<std::string, std::string> members_;  // by name
};
INSTANTIATE_TEST_SUITE_P(Stores, FlowCommand, durable_stores(), name_of_param);

TEST_P(FlowCommand, ADiamondRunsToItsEndAndHandsItsResultsOn) {
    submit_diamond();
    EXPECT_EQ(flow_state(flow_id()), "blocked");
    EXPECT_EQ(state_of(member("source")), "waiting");
    EXPECT_EQ(state_of(member("sink")), "waiting_children");
    run_to_the_end();

    EXPECT_EQ(flow_state(flow_id()), "completed");
    EXPECT_EQ(result_of_member("source"), R"(source("november"))");
    EXPECT_EQ(result_of_member("left"), R"(left(source("november")))");
    EXPECT_EQ(result_of_member("right"), R"(other({"month":11}))");
    EXPECT_EQ(result_of_member("sink"), R"(sink(left(source("november"))))");
    EXPECT_EQ(json_of({"get", member("left")}).at("flow_id").as_string(), flow_id());
    EXPECT_EQ(json_of({"get", member("left")}).at("priority").as_int64(), 5);

    const auto refused = flow_as_json({"cancel", flow_id()});
    expect_typed_error(refused, "flow_already_terminal");
    EXPECT_THAT(refused.errors, HasSubstr("completed"));
}

TEST_P(FlowCommand, ShowTellsStateCountsAndGroups) {
    submit_diamond();
    const auto shown = flow_json({"show", flow_id()});
    EXPECT_EQ(shown.at("flow_id").as_string(), flow_id());
    EXPECT_EQ(shown.at("flow_kind").as_string(), "report");
    EXPECT_EQ(shown.at("namespace").as_string(), "default");
    EXPECT_TRUE(shown.at("sealed").as_bool());
    EXPECT_EQ(shown.at("node_count").as_int64(), 4);
    EXPECT_EQ(shown.at("edge_count").as_int64(), 4);
    EXPECT_EQ(shown.at("tags").as_object(), (boost::json::object{{"team.name", "blue"}}));
    std::map<std::string, boost::json::value> groups;
    for (const auto& group : shown.at("edge_groups").as_array()) {
        groups[std::string(group.at("downstream_execution_id").as_string())] = group;
    }
    ASSERT_EQ(groups.size(), 3U);
    const auto& right = groups.at(member("right"));
    EXPECT_EQ(right.at("policy"), (boost::json::value{{"kind", "quorum"}, {"k", 1}, {"on_satisfied", "let_run"}}));
    const auto& sink = groups.at(member("sink"));
    EXPECT_EQ(sink.at("policy").at("kind").as_string(), "all_of");
    EXPECT_EQ(sink.at("state").as_string(), "pending");
    EXPECT_EQ(sink.at("total").as_int64(), 2);
    EXPECT_EQ(sink.at("running").as_int64(), 2);
    EXPECT_EQ(sink.at("satisfied").as_int64(), 0);

    run_to_the_end();
    const auto ended = flow_json({"show", flow_id()});
    for (const auto& group : ended.at("edge_groups").as_array()) {
        EXPECT_EQ(group.at("state").as_string(), "satisfied");
        EXPECT_EQ(group.at("satisfied"), group.at("total"));
    }
    const auto for_people = flow({"show", flow_id()}).output;
    EXPECT_THAT(for_people, HasSubstr("completed"));
    EXPECT_THAT(for_people, HasSubstr("quorum 1, let_run"));
    EXPECT_THAT(for_people, HasSubstr(member("sink")));
}

TEST_P(FlowCommand, EdgesNamesBothSidesOfAMember) {
    submit_diamond();
    const auto edges = flow_json({"edges", flow_id(), member("left")});
    const auto& incoming = edges.at("incoming").as_array();
    ASSERT_EQ(incoming.size(), 1U);
    EXPECT_EQ(incoming[0].at("upstream_execution_id").as_string(), member("source"));
    EXPECT_EQ(incoming[0].at("data_passing_ref").as_string(), "month");
    EXPECT_EQ(incoming[0].at("dependency_state").as_string(), "unsatisfied");
    const auto& outgoing = edges.at("outgoing").as_array();
    ASSERT_EQ(outgoing.size(), 1U);
    EXPECT_EQ(outgoing[0].at("downstream_execution_id").as_string(), member("sink"));
    EXPECT_EQ(flow_json({"edges", flow_id(), member("sink")}).at("outgoing").as_array().size(), 0U);
    EXPECT_THAT(flow({"edges", flow_id(), member("left")}).output, HasSubstr(member("source")));
}

TEST_P(FlowCommand, CancelEndsEveryMemberBeforeItAnswers) {
    submit_diamond();
    const auto cancelled = flow_json({"cancel", flow_id(), "--reason", "not needed"});
    EXPECT_THAT(member_states(), ElementsAre("cancelled", "cancelled", "cancelled", "cancelled"));
    EXPECT_EQ(cancelled.at("cancellation_policy").as_string(), "cancel_all");
    EXPECT_EQ(cancelled.at("members").as_array().size(), 4U);
    EXPECT_FALSE(cancelled.at("already_terminal").as_bool());
    const auto shown = flow_json({"show", flow_id()});
    EXPECT_EQ(shown.at("state").as_string(), "cancelled");
    EXPECT_EQ(shown.at("cancellation_reason").as_string(), "not needed");
    EXPECT_EQ(json_of({"get", member("left")}).at("cancellation_reason").as_string(), "not needed");

    const auto again = flow_json({"cancel", flow_id(), "--policy", "cancel_pending", "--reason", "again"});
    EXPECT_TRUE(again.at("already_terminal").as_bool());
    EXPECT_EQ(again.at("cancellation_policy").as_string(), "cancel_all");
    EXPECT_EQ(again.at("reason").as_string(), "not needed");
    EXPECT_EQ(again.at("members"), cancelled.at("members"));
}

TEST_P(FlowCommand, CancelOfTheFlowOnlyLeavesItsMembersAlone) {
    submit_diamond();
    const auto answer = flow({"cancel", flow_id(), "--policy", "cancel_flow_only"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.output, flow_id() + " cancelled, cancel_flow_only: 0 members\n");
    EXPECT_EQ(flow_state(flow_id()), "cancelled");
    EXPECT_EQ(state_of(member("source")), "waiting");
    EXPECT_EQ(state_of(member("sink")), "waiting_children");
}

TEST_P(FlowCommand, CancelWithoutAWaitLeavesTheMembersToAnEngineThatRuns) {
    submit_diamond();
    EXPECT_EQ(flow({"cancel", flow_id(), "--wait", "0"}).status, 0);
    EXPECT_EQ(flow_state(flow_id()), "cancelled");
    const auto engine = store().open_engine();
    for (const auto& [name, id] : members()) await_state(id, "cancelled");
}

TEST_P(FlowCommand, SubmittingAFlowOfTheSameIdAgainAddsNothing) {
    const std::string text =
        R"({"flow_kind": "f", "flow_id": "00000000-0000-7000-8000-000000000001",
            "nodes": [{"name": "a", "execution": {"execution_kind": "k"}}]})";
    const auto first = boost::json::parse(submit_text(text).output).as_object();
    const auto second = boost::json::parse(submit_text(text).output).as_object();
    EXPECT_EQ(first.at("flow_id").as_string(), "00000000-0000-7000-8000-000000000001");
    EXPECT_FALSE(first.at("already_there").as_bool());
    EXPECT_TRUE(second.at("already_there").as_bool());
    EXPECT_EQ(second.at("members"), first.at("members"));
    EXPECT_EQ(snapshot().executions.size(), 1U);
}

TEST_P(FlowCommand, SubmitReadsStandardInputAndPrintsTheIdForPeople) {
    std::vector<std::string> piped{
        "sh", "-c",
        R"(printf '{"flow_kind": "f", "nodes": [{"name": "a", "execution": {"execution_kind": "k"}}]}' | "$@")", "sh"};
    for (auto& part : ff({"flow", "submit", "--store", store().url(), "-"})) piped.push_back(std::move(part));
    Process process(std::move(piped));
    EXPECT_EQ(process.wait(), 0) << process.errors();
    const auto id = process.output().substr(0, process.output().find('\n'));
    EXPECT_EQ(process.output(), id + "\n");
    EXPECT_EQ(flow_state(id), "open");
}

TEST_P(FlowCommand, ANodeTakesTheFieldsOfASubmission) {
    const auto submitted = submit_text(R"({
        "flow_kind": "f", "namespace": "blue",
        "nodes": [{"name": "a", "execution": {
            "lane_id": "reports", "execution_kind": "k", "priority": 7, "delay_until_ms": 9000000000000,
            "tags": {"a.b": "c"}, "input_b64": "QC9ldGMvcGFzc3dk",
            "policy": {"timeout_policy": {"execution_deadline_ms": 7200000},
                       "routing_requirements": {"required_capabilities": ["gpu"]}}}}]})");
    ASSERT_EQ(submitted.status, 0) << submitted.errors;
    const auto id = text(boost::json::parse(submitted.output).at("members").at(0));
    const auto shown = json_of({"get", id});
    EXPECT_EQ(shown.at("namespace").as_string(), "blue");
    EXPECT_EQ(shown.at("lane_id").as_string(), "reports");
    EXPECT_EQ(shown.at("execution_kind").as_string(), "k");
    EXPECT_EQ(shown.at("priority").as_int64(), 7);
    EXPECT_EQ(shown.at("public_state").as_string(), "delayed");
    EXPECT_EQ(shown.at("execution_deadline_at_ms").as_int64() - shown.at("created_at_ms").as_int64(), 7'200'000);
    EXPECT_EQ(shown.at("required_capabilities").at(0).as_string(), "gpu");
    EXPECT_EQ(shown.at("tags").at("a.b").as_string(), "c");
    const auto input = store().open_engine()->get_execution_input(value_of(ExecutionId::parse(id)));
    EXPECT_EQ(value_of(input), "@/etc/passwd");
}

TEST_P(FlowCommand, ABadFileIsRefusedByNodeOrEdgeAndFieldAndLeavesNothing) {
    struct BadFile {
        std::string text, kind, detail;
    };
    const std::string a = R"({"name": "a", "execution": {"execution_kind": "k"}})";
    const std::string b = R"({"name": "b", "execution": {"execution_kind": "k"}})";
    const auto with_node = [&](const std::string& node) {
        return R"({"flow_kind": "f", "nodes": [)" + a + ", " + node + "]}";
    };
    const auto with_execution = [&](const std::string& fields) {
        return with_node(R"({"name": "b", "execution": {"execution_kind": "k", )" + fields + "}}");
    };
    const auto with_policy = [&](const std::string& policy) {
        return with_node(R"({"name": "b", "execution": {"execution_kind": "k"}, "policy": )" + policy + "}");
    };
    const auto with_edges = [&](const std::string& edges) {
        return R"({"flow_kind": "f", "nodes": [)" + a + ", " + b + R"(], "edges": )" + edges + "}";
    };
    const std::vector<BadFile> files{
        {"{", "invalid_input", "JSON: "},
        {"[]", "invalid_input", "document: must be an object"},
        {R"({"nodes": []})", "invalid_input", "flow_kind: is required"},
        {R"({"flow_kind": "f"})", "invalid_input", "nodes: is required"},
        {R"({"flow_kind": "f", "nodes": []})", "invalid_input", "nodes: must not be empty"},
        {R"({"flow_kind": "f", "nodes": {}})", "invalid_input", "nodes: must be an array"},
        {R"({"flow_kind": "f", "nodes": [1]})", "invalid_input", "nodes[0]: must be an object"},
        {R"({"flow_kind": "f", "flow_id": "x", "nodes": []})", "invalid_input", "flow_id: "},
        {R"({"flow_kind": "f", "colour": "blue", "nodes": []})", "invalid_input", "colour: is not a known field"},
        {R"({"flow_kind": "f", "tags": {"a.b": 1}, "nodes": []})", "invalid_input", "tags.a.b: must be a string"},
        {with_node(a), "invalid_input", "nodes[1].name: 'a' is there twice"},
        {with_node(R"({"execution": {}})"), "invalid_input", "nodes[1].name: is required"},
        {with_node(R"({"name": 1, "execution": {}})"), "invalid_input", "nodes[1].name: must be a string"},
        {with_node(R"({"name": "b"})"), "invalid_input", "nodes[1].execution: is required"},
        {with_node(R"({"name": "b", "execution": {}})"), "invalid_input",
         "nodes[1].execution.execution_kind: is required"},
        {with_node(R"({"name": "b", "execution": {"execution_kind": "k"}, "colour": "blue"})"), "invalid_input",
         "nodes[1].colour: "},
        {with_execution(R"("priority": "high")"), "invalid_input", "nodes[1].execution.priority: must be an integer"},
        {with_execution(R"("lane_id": "")"), "invalid_input", "nodes[1] 'b': lane_id: "},
        {with_execution(R"("colour": "blue")"), "invalid_input", "nodes[1].execution.colour: is not a known field"},
        {with_execution(R"("input": 1, "input_b64": "")"), "invalid_input", "nodes[1].execution.input: is given twice"},
        {with_execution(R"("idempotency_key": "k")"), "invalid_input", "nodes[1] 'b': idempotency_key: "},
        {with_execution(R"("policy": {"max_reclaim_count": -1})"), "invalid_policy_json",
         "nodes[1].execution.policy: "},
        {with_policy(R"({"kind": "most"})"), "invalid_input",
         "nodes[1].policy.kind: must be one of all_of, any_of, quorum"},
        {with_policy(R"({"kind": "quorum", "k": 0})"), "invalid_input", "nodes[1].policy.k: "},
        {with_policy(R"("any_of")"), "invalid_input", "nodes[1].policy: must be an object"},
        {with_edges("{}"), "invalid_input", "edges: must be an array"},
        {with_edges(R"([{"from": 1, "to": "b"}])"), "invalid_input", "edges[0].from: must be a string"},
        {with_edges(R"([{"from": "a", "to": "b", "colour": 1}])"), "invalid_input", "edges[0].colour: is not a known"},
        {with_edges(R"([{"from": "a", "to": "b"}, {"from": "a", "to": "c"}])"), "invalid_input",
         "edges[1].to: there is no node 'c'"},
        {with_edges(R"([{"from": "a", "to": "a"}])"), "self_referencing_edge", "edges[0]"},
        {with_edges(R"([{"from": "a", "to": "b"}, {"from": "b", "to": "a"}])"), "cycle_detected", ""},
    };
    for (const auto& [text, kind, detail] : files) {
        SCOPED_TRACE(text);
        const auto refused = submit_text(text);
        expect_typed_error(refused, kind);
        EXPECT_THAT(std::string(boost::json::parse(refused.errors).at("detail").as_string()), StartsWith(detail));
    }
    expect_typed_error(flow_as_json({"submit", "/nonexistent"}), "invalid_input");
    expect_nothing_stored();
}

TEST_P(FlowCommand, ListsPageByPageOverAllPartitions) {
    EXPECT_EQ(flow({"list"}).output, "No flows.\n");
    std::set<std::string> submitted;
    for (int i = 0; i < 5; ++i) {
        submit_diamond();
        submitted.insert(flow_id());
    }
    flow_json({"cancel", flow_id()});

    std::set<std::string> listed;
    std::map<std::int64_t, std::size_t> by_partition;
    std::vector<std::string> arguments{"list", "--limit", "2"};
    int pages = 1;
    for (;; ++pages) {
        const auto page = flow_json(arguments);
        for (const auto& flow : page.at("flows").as_array()) {
            const std::string id(flow.at("flow_id").as_string());
            EXPECT_EQ(flow.at("status").as_string(), id == flow_id() ? "Cancelled" : "Active");
            EXPECT_TRUE(listed.insert(id).second) << id << " is there twice";
            ++by_partition[flow.at("partition").as_int64()];
        }
        if (!page.contains("next_cursor")) break;
        arguments = {"list", "--limit", "2", "--after", text(page.at("next_cursor"))};
    }
    EXPECT_EQ(pages, 3);
    EXPECT_EQ(listed, submitted);
    for (const auto& [partition, count] : by_partition) {
        EXPECT_EQ(flow_json({"list", "--partition", std::to_string(partition)}).at("flows").as_array().size(), count);
    }
    EXPECT_THAT(flow({"list"}).output, HasSubstr(flow_id()));
    EXPECT_THAT(flow({"list", "--limit", "2"}).output, HasSubstr("more: --after "));
    expect_typed_error(flow_as_json({"list", "--partition", "256"}), "invalid_input");
    expect_typed_error(flow_as_json({"list", "--after", "nonsense"}), "invalid_input");
}

TEST_P(FlowCommand, TagsAreSetAndPrinted) {
    submit_diamond();
    EXPECT_EQ(flow({"tag", flow_id(), "team.name"}).output, "blue\n");
    EXPECT_EQ(flow({"tag", flow_id(), "team.name", "red"}).output, "red\n");
    EXPECT_EQ(flow_json({"tag", flow_id(), "team.name"}).at("value").as_string(), "red");
    EXPECT_EQ(flow_json({"show", flow_id()}).at("tags").at("team.name").as_string(), "red");
    expect_typed_error(flow_as_json({"tag", flow_id(), "team.other"}), "invalid_input");
    expect_typed_error(flow_as_json({"tag", flow_id(), "nodot", "x"}), "invalid_input");
}

TEST_P(FlowCommand, AnUnknownFlowIsATypedErrorAndWrongUsageStatusTwo) {
    const std::string unknown = "00000000-0000-7000-8000-000000000001";
    expect_typed_error(flow_as_json({"show", unknown}), "flow_not_found");
    expect_typed_error(flow_as_json({"cancel", unknown}), "flow_not_found");
    expect_typed_error(flow_as_json({"tag", unknown, "a.b"}), "flow_not_found");
    expect_typed_error(flow_as_json({"tag", unknown, "a.b", "c"}), "flow_not_found");
    for (const std::string command : {"show", "cancel"}) {
        expect_typed_error(flow_as_json({command, "nonsense"}), "invalid_input");
    }
    EXPECT_EQ(flow({"edges", unknown, "{fp:1}:" + unknown}).output, "No edges.\n");
    EXPECT_EQ(run_ff({"flow"}).status, 2);
    EXPECT_EQ(flow({"submit"}).status, 2);
    EXPECT_EQ(flow({"show"}).status, 2);
    EXPECT_EQ(flow({"cancel", unknown, "--policy", "nonsense"}).status, 2);
    EXPECT_EQ(flow({"list", "--limit", "0"}).status, 2);
}

}  // namespace
}  // namespace flowfabric::test
