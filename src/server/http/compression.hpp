#pragma once

#include "server/http/message.hpp"

namespace flowfabric::server {

// Whether the client reads gzip.
bool accepts_gzip(const Headers& headers);

// Makes the body of a large answer small, unless it is encoded already or holds bytes as they are.
void compress(Response& response);

}  // namespace flowfabric::server
