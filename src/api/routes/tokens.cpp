#include "api/routes/tables.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

// A secret is shown once, and nothing on the way keeps it.
SentAnswer created(const json::object&, json::value answer) {
    return {.status = 201, .body = std::move(answer), .headers = {{"Cache-Control", "no-store"}}};
}
SentAnswer rotated(const json::object&, json::value answer) {
    return {.body = std::move(answer), .headers = {{"Cache-Control", "no-store"}}};
}

}  // namespace

std::vector<Route> token_routes() {
    return {
        {.method = "GET", .path = "/v1/admin/tokens", .operation = "list_tokens", .scope = Scope::admin},
        {.method = "POST",
         .path = "/v1/admin/tokens",
         .operation = "create_token",
         .scope = Scope::admin,
         .changes_tokens = true,
         .subject = "name",
         .status = 201,
         .send = created},
        {.method = "POST",
         .path = "/v1/admin/tokens/{name}/rotate",
         .operation = "rotate_token",
         .scope = Scope::admin,
         .changes_tokens = true,
         .send = rotated},
        {.method = "DELETE",
         .path = "/v1/admin/tokens/{name}",
         .operation = "revoke_token",
         .scope = Scope::admin,
         .changes_tokens = true},
    };
}

}  // namespace flowfabric::api
