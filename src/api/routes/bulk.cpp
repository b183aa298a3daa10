#include "api/routes/tables.hpp"

namespace flowfabric::api {

std::vector<Route> bulk_routes() {
    using To = Belonging::To;
    return {
        {.method = "POST",
         .path = "/v1/bulk",
         .operation = "start_bulk_operation",
         .scope = Scope::admin,
         .belongs_to = {{To::name, "filter.namespace"}, {To::flow, "filter.flow_id"}, {To::bulk, "operation_id", true}},
         .limit = BodyLimit::large,
         .status = 201},
        {.method = "POST",
         .path = "/v1/bulk/preview",
         .operation = "preview_bulk_operation",
         .scope = Scope::read,
         .belongs_to = {{To::name, "filter.namespace"}, {To::flow, "filter.flow_id"}},
         .limit = BodyLimit::large},
        {.method = "GET", .path = "/v1/bulk", .operation = "list_bulk_operations", .scope = Scope::read},
        {.method = "GET",
         .path = "/v1/bulk/{id}",
         .operation = "get_bulk_operation",
         .scope = Scope::read,
         .belongs_to = {{To::bulk, "operation_id"}},
         .id_field = "operation_id"},
        {.method = "POST",
         .path = "/v1/bulk/{id}/cancel",
         .operation = "cancel_bulk_operation",
         .scope = Scope::admin,
         .belongs_to = {{To::bulk, "operation_id"}},
         .id_field = "operation_id",
         .without_body = true},
    };
}

}  // namespace flowfabric::api
