#pragma once

#include "server/http/router.hpp"

namespace flowfabric::server {

// GET /v1/openapi.json: the API's description. GET /docs: the page that shows it. Both are open: they tell what there
// is to ask for, and nothing of what is stored.
void add_document_routes(Router& router);

}  // namespace flowfabric::server
