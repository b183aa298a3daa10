#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowfabric::remote {

// A message of a stream of Server-Sent Events. One without data only says where to go on.
struct SseMessage {
    std::string event;
    std::string id;
    std::string data;
};

// Takes the stream in as it comes, in pieces of any size, and gives whole messages. Comments are passed over.
class SseParser {
  public:
    void put(std::string_view text) { text_ += text; }
    std::optional<SseMessage> next();

  private:
    void take_line(std::string_view line);

    std::string text_;
    SseMessage message_;
};

}  // namespace flowfabric::remote
