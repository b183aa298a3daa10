#include "server/http/refusal.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace flowfabric::server {

Response refusal(unsigned status, std::string_view error) {
    Response response{status, boost::json::serialize(boost::json::object{{"error", error}, {"kind", error}})};
    if (status == 429 || status == 503) response.headers.add("Retry-After", "1");
    return response;
}

Response body_too_large(std::size_t limit, std::string_view route) {
    constexpr std::string_view kind = "payload_too_large";
    return {413, boost::json::serialize(
                     boost::json::object{{"error", kind}, {"kind", kind}, {"limit_bytes", limit}, {"route", route}})};
}

}  // namespace flowfabric::server
