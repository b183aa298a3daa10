#include "api/routes/answer_form.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {

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
         .send = secret_created},
        {.method = "POST",
         .path = "/v1/admin/tokens/{name}/rotate",
         .operation = "rotate_token",
         .scope = Scope::admin,
         .changes_tokens = true,
         .send = secret_rotated},
        {.method = "DELETE",
         .path = "/v1/admin/tokens/{name}",
         .operation = "revoke_token",
         .scope = Scope::admin,
         .changes_tokens = true},
    };
}

}  // namespace flowfabric::api
