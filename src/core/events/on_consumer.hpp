#pragma once

#include <cstdint>
#include <string>

#include "core/command/command.hpp"
#include "core/command/contents.hpp"
#include "flowfabric/consumer.hpp"

// Commands that are about one consumer.
namespace flowfabric {

class OnConsumer : public CommandBody {
  public:
    explicit OnConsumer(ConsumerKey consumer) : consumer_(std::move(consumer)) {}

    std::span<const ExecutionId> executions() const final { return {}; }
    void name_rows(NamedRows& rows) const final { rows.side.of<ConsumerRow>().keys.push_back(consumer_); }

  protected:
    const ConsumerKey& consumer() const { return consumer_; }

  private:
    ConsumerKey consumer_;
};

Result<ConsumerKey> consumer_key(Channel channel, std::string name);
// The event that a caller's cursor stands at.
Result<std::int64_t> place_in_channel(const Bytes& cursor);

}  // namespace flowfabric
