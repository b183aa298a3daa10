#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/raw_http.hpp"

namespace flowfabric::test {

// A client of Server-Sent Events.
class EventReader {
  public:
    struct Message {
        std::string name;
        std::string id;
        boost::json::value data;
    };

    EventReader(std::uint16_t port, const std::string& target,
                const std::vector<std::pair<std::string, std::string>>& headers = {});

    const std::string& head() const { return head_; }
    // The id that a client sends as Last-Event-ID when it comes back.
    const std::string& last_id() const { return last_id_; }
    // The next message with data; nothing when the server has closed.
    std::optional<Message> next();

  private:
    RawHttp connection_;
    std::string head_;
    std::string last_id_;
};

}  // namespace flowfabric::test
