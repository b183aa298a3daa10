#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/operations.hpp"
#include "api/routes/request_form.hpp"
#include "api/routes/route.hpp"

namespace flowfabric::api {

// The answer of the route's operation in the form in which the route sends it. An operation that found nothing is a
// problem with status 404.
OrProblem<SentAnswer> answer_of(const Route& route, const OperationEntry& operation, const boost::json::object& request,
                                boost::json::value answer);

// Answers that hold a secret: it is shown once, and nothing on the way keeps it.
SentAnswer secret_created(const boost::json::object& request, boost::json::value answer);
SentAnswer secret_rotated(const boost::json::object& request, boost::json::value answer);

}  // namespace flowfabric::api
