#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;
using To = Belonging::To;

// `?wait=true` waits for as long as a client that sends it does.
constexpr std::uint64_t longest_wait_ms = 110'000;
// As many members as a repeated cancellation of a flow that has ended names.
constexpr std::size_t most_members_named_again = 1'000;

std::optional<Problem> set_wait(json::object& request) {
    const json::value* wait = request.if_contains("wait");
    if (wait == nullptr) return std::nullopt;
    if (*wait == json::value("true") || *wait == json::value("1")) request["max_wait_ms"] = longest_wait_ms;
    return std::nullopt;
}

// A call that waited has seen the members end; any other learns that their cancellation is certain.
SentAnswer flow_cancellation(const json::object& request, json::value answer) {
    const json::value* wait = request.if_contains("max_wait_ms");
    const bool waited = wait != nullptr && *wait != json::value(0);
    const bool has_ended = answer.at("already_terminal").as_bool();
    json::array& members = answer.at("members").as_array();
    if (has_ended && members.size() > most_members_named_again) members.resize(most_members_named_again);
    json::object fields{{"cancellation_policy", answer.at("cancellation_policy")}, {"member_execution_ids", members}};
    const bool certain = waited || members.empty() || has_ended;
    if (certain) return {.body = json::object{{"Cancelled", std::move(fields)}}};
    fields["member_count"] = members.size();
    return {.body = json::object{{"CancellationScheduled", std::move(fields)}}};
}

}  // namespace

std::vector<Route> flow_routes() {
    return {
        {.method = "POST",
         .path = "/v1/flows",
         .operation = "create_flow",
         .scope = Scope::submit,
         .belongs_to = {{To::name, "namespace"}, {To::flow, "flow_id", true}},
         .answers = {{.variant = "AlreadySatisfied", .when = "already_there", .fields = {{"flow_id"}}},
                     {.variant = "Created", .status = 201, .fields = {{"flow_id"}}}}},
        {.method = "POST",
         .path = "/v1/flows/submit",
         .operation = "submit_flow",
         .scope = Scope::submit,
         .belongs_to = {{To::name, "namespace"},
                        {To::flow, "flow_id", true},
                        {To::name, "nodes[].execution.namespace"},
                        {To::execution, "nodes[].execution.execution_id", true}},
         .limit = BodyLimit::bulk,
         .status = 201},
        {.method = "GET",
         .path = "/v1/flows",
         .operation = "list_flows",
         .scope = Scope::read,
         .belongs_to = {{To::name, "namespace"}}},
        {.method = "GET",
         .path = "/v1/flows/{id}",
         .operation = "describe_flow",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/summary",
         .operation = "get_flow_summary",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/members",
         .operation = "list_flow_members",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/edges",
         .operation = "list_flow_edges",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/graph",
         .operation = "get_flow_graph",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "POST",
         .path = "/v1/flows/{id}/members",
         .operation = "add_execution_to_flow",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}, {To::execution, "execution_id"}, {To::lease, "lease"}},
         .id_field = "flow_id",
         .answers =
             {{.variant = "AlreadyMember", .when = "already_there", .fields = {{"execution_id"}, {"node_count"}}},
              {.variant = "Added", .status = 201, .fields = {{"execution_id"}, {"new_node_count", "node_count"}}}}},
        {.method = "POST",
         .path = "/v1/flows/{id}/edges",
         .operation = "stage_dependency_edge",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}, {To::lease, "lease"}},
         .id_field = "flow_id",
         .answers = {{.variant = "Staged",
                      .when = "already_there",
                      .fields = {{"edge_id"}, {"new_graph_revision", "graph_revision"}}},
                     {.variant = "Staged",
                      .status = 201,
                      .fields = {{"edge_id"}, {"new_graph_revision", "graph_revision"}}}}},
        {.method = "POST",
         .path = "/v1/flows/{id}/edges/apply",
         .operation = "apply_dependency_to_child",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}, {To::lease, "lease"}},
         .id_field = "flow_id",
         .answers = {{.variant = "AlreadyApplied", .when = "already_there"},
                     {.variant = "Applied", .fields = {{"unsatisfied_count"}}}}},
        {.method = "GET",
         .path = "/v1/flows/{id}/edges/{edge_id}",
         .operation = "describe_edge",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/nodes/{execution_id}/edges",
         .operation = "list_edges",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "PUT",
         .path = "/v1/flows/{id}/nodes/{downstream_execution_id}/policy",
         .operation = "set_edge_group_policy",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "POST",
         .path = "/v1/flows/{id}/seal",
         .operation = "seal_flow",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "POST",
         .path = "/v1/flows/{id}/cancel",
         .operation = "cancel_flow",
         .scope = Scope::submit,
         .audited = true,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id",
         .answers = {{.variant = "Cancelled", .fields = {{"cancellation_policy"}, {"member_execution_ids", "members"}}},
                     {.variant = "CancellationScheduled",
                      .fields = {{"cancellation_policy"},
                                 {"member_execution_ids", "members"},
                                 {"member_count", "members", AnswerField::Form::count}}}},
         .prepare = set_wait,
         .send = flow_cancellation},
        {.method = "PUT",
         .path = "/v1/flows/{id}/tags/{key}",
         .operation = "set_flow_tag",
         .scope = Scope::submit,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/flows/{id}/tags/{key}",
         .operation = "get_flow_tag",
         .scope = Scope::read,
         .belongs_to = {{To::flow, "flow_id"}},
         .id_field = "flow_id"},
        {.method = "GET",
         .path = "/v1/executions/{id}/flow-eligibility",
         .operation = "evaluate_flow_eligibility",
         .scope = Scope::read,
         .belongs_to = {{To::execution, "execution_id"}},
         .id_field = "execution_id"},
    };
}

}  // namespace flowfabric::api
