#pragma once

#include <boost/json/object.hpp>

#include "flowfabric/stream.hpp"

// Frames as HTTP sends them. Published clients read each as a map of texts, whatever it is.
namespace flowfabric::api {

class Schemas;

// {"id", "fields"}: bytes that are no UTF-8 stand in base64, and the field `encoding` says so.
boost::json::object frame_in_texts(const StreamFrame& frame);
// {"frames", "count", "next_cursor"?, "closed_at"?, "closed_reason"?}
boost::json::object page_in_texts(const StreamPage& page);
// {"closed_at", "closed_reason"}, if the stream has closed.
boost::json::object end_in_texts(const StreamPage& page);

boost::json::object page_in_texts_schema(Schemas& schemas);

}  // namespace flowfabric::api
