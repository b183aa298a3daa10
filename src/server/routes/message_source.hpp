#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "flowfabric/result.hpp"
#include "flowfabric/subscription.hpp"

namespace flowfabric::server {

// One Server-Sent Event. Without an id it leaves its reader where it was.
std::string sse_message(std::string_view name, const std::optional<Bytes>& cursor, const boost::json::value& data);

// Where the messages of an event stream come from. Any thread may call it, one at a time.
class MessageSource {
  public:
    virtual ~MessageSource() = default;
    // The next message, as sse_message() makes it; nothing if there is none by now.
    virtual Result<std::optional<std::string>> next() = 0;
    // `ready` is called, on any thread, when next() has something again, or is to look. A running call may end after
    // the source.
    virtual void notify(std::function<void()> ready) = 0;
    // Where a client that has had all messages so far goes on.
    virtual Bytes cursor() const = 0;
    // Nothing comes any more.
    virtual bool ended() const = 0;
};

// The events of a subscription, or why there is none.
Result<std::unique_ptr<MessageSource>> messages_of(Result<std::unique_ptr<Subscription>> subscription);

}  // namespace flowfabric::server
