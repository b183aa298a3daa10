#include "api/routes/answer_form.hpp"
#include "api/routes/tables.hpp"

namespace flowfabric::api {

std::vector<Route> webhook_routes() {
    using To = Belonging::To;
    const std::vector<Belonging> by_name = {{To::webhook, "name"}};
    return {
        {.method = "GET", .path = "/v1/webhooks", .operation = "list_webhooks", .scope = Scope::admin},
        {.method = "POST",
         .path = "/v1/webhooks",
         .operation = "create_webhook",
         .scope = Scope::admin,
         .belongs_to = {{To::name, "namespace"}, {To::webhook, "name", true}},
         .subject = "name",
         .status = 201,
         .send = secret_created},
        {.method = "GET",
         .path = "/v1/webhooks/{name}",
         .operation = "get_webhook",
         .scope = Scope::admin,
         .belongs_to = by_name},
        {.method = "PUT",
         .path = "/v1/webhooks/{name}",
         .operation = "update_webhook",
         .scope = Scope::admin,
         .belongs_to = by_name},
        {.method = "DELETE",
         .path = "/v1/webhooks/{name}",
         .operation = "remove_webhook",
         .scope = Scope::admin,
         .belongs_to = by_name},
        {.method = "POST",
         .path = "/v1/webhooks/{name}/rotate",
         .operation = "rotate_webhook_secret",
         .scope = Scope::admin,
         .belongs_to = by_name,
         .send = secret_rotated},
        {.method = "GET",
         .path = "/v1/webhooks/{name}/failures",
         .operation = "list_webhook_failures",
         .scope = Scope::admin,
         .belongs_to = by_name},
        {.method = "POST",
         .path = "/v1/webhooks/{name}/redeliver",
         .operation = "redeliver_webhook_events",
         .scope = Scope::admin,
         .belongs_to = by_name},
    };
}

}  // namespace flowfabric::api
