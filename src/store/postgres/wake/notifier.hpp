#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace flowfabric::postgres {

// Limits one connection's notifications to one per channel and interval. The first goes out at once; what comes within
// the interval behind it is held back and goes out, as one, when the interval is over.
class Notifier {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{5};

    static constexpr std::string_view work = "ff_work";

    // That of work, or of an outbox.
    void request(std::string_view name) {
        auto slot = std::ranges::find(slots_, name, &Slot::name);
        if (slot == slots_.end()) slot = slots_.insert(slot, Slot{name, {}});
        slot->wanted = true;
    }

    // The channels to notify now; they count as sent.
    std::vector<std::string_view> take(Clock::time_point now) {
        std::vector<std::string_view> channels;
        for (auto& slot : slots_) {
            if (!slot.wanted || now < slot.next) continue;
            slot.wanted = false;
            slot.next = now + interval;
            channels.push_back(slot.name);
        }
        return channels;
    }

    // They were not sent after all.
    void put_back(const std::vector<std::string_view>& channels) {
        for (auto& slot : slots_) slot.wanted = slot.wanted || std::ranges::count(channels, slot.name) > 0;
    }

    // How long until something held back may go out; nothing if nothing is.
    std::optional<std::chrono::milliseconds> due(Clock::time_point now) const {
        std::optional<Clock::duration> wait;
        for (const auto& slot : slots_) {
            if (!slot.wanted) continue;
            const auto remaining = slot.next > now ? slot.next - now : Clock::duration::zero();
            wait = wait ? std::min(*wait, remaining) : remaining;
        }
        if (!wait) return std::nullopt;
        return std::chrono::ceil<std::chrono::milliseconds>(*wait);
    }

  private:
    struct Slot {
        std::string_view name;
        Clock::time_point next;
        bool wanted = false;
    };

    std::vector<Slot> slots_;  // of those that were ever requested
};

}  // namespace flowfabric::postgres
