#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "flowfabric/events.hpp"

namespace flowfabric::server {

// What kind of event of its channel it is: `success`, `acquired`, …
std::string_view kind_of(const Event& event);

// As CloudEvents 1.0 has it.
boost::json::object cloud_event(const Event& event, std::string_view source);

// What proves to the receiver who sends, one word for each secret: HMAC-SHA-256 over "TIMESTAMP.BODY".
std::string webhook_signature(const std::vector<Bytes>& secrets, std::int64_t timestamp_s, std::string_view body);

}  // namespace flowfabric::server
