#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowfabric::test {

struct HttpAnswer {
    int status = 0;                              // 0: nobody listens there
    std::map<std::string, std::string> headers;  // by name in lower case
    std::string body;

    boost::json::value json() const { return boost::json::parse(body); }
    // The problem without the id of the request, which differs each time.
    boost::json::object problem() const {
        boost::json::object object = json().as_object();
        object.erase("request_id");
        return object;
    }
};

// One request on a connection of its own, and its whole answer.
HttpAnswer http_call(std::uint16_t port, const std::string& method, const std::string& target,
                     const std::string& body = "",
                     const std::vector<std::pair<std::string, std::string>>& headers = {});

}  // namespace flowfabric::test
