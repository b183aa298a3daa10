#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowfabric::postgres {

// A channel, and what it is told: words with commas between them, or nothing, which may mean anything.
struct Announcement {
    std::string_view channel;
    std::string payload;

    bool operator==(const Announcement&) const = default;
};

// Limits one connection's notifications to one per channel and interval. The first goes out at once; what comes within
// the interval behind it is held back and goes out, as one, when the interval is over.
class Notifier {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{5};

    static constexpr std::string_view work = "ff_work";
    static constexpr std::string_view streams = "ff_stream";

    // That of work, of streams, or of an outbox.
    void request(std::string_view name) { slot_of(name).wanted = true; }
    // To say that it is about this. A channel is requested with words or without.
    void request(std::string_view name, std::string word) {
        Slot& slot = slot_of(name);
        if (std::exchange(slot.wanted, true) && slot.words.empty()) return;  // there were too many
        slot.words.insert(std::move(word));
        if (slot.words.size() > most_words) slot.words.clear();
    }

    // What to announce now; it counts as sent.
    std::vector<Announcement> take(Clock::time_point now) {
        std::vector<Announcement> announcements;
        for (auto& slot : slots_) {
            if (!slot.wanted || now < slot.next) continue;
            slot.wanted = false;
            slot.next = now + interval;
            announcements.push_back({slot.name, joined(std::exchange(slot.words, {}))});
        }
        return announcements;
    }

    // They were not sent after all; what they were about is forgotten.
    void put_back(const std::vector<Announcement>& announcements) {
        for (auto& slot : slots_) {
            if (std::ranges::find(announcements, slot.name, &Announcement::channel) == announcements.end()) continue;
            slot.wanted = true;
            slot.words.clear();
        }
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
    // A payload is shorter than 8,000 bytes; a stream's name has up to 47.
    static constexpr std::size_t most_words = 160;

    struct Slot {
        std::string_view name;
        Clock::time_point next;
        bool wanted = false;
        std::set<std::string> words = {};
    };

    Slot& slot_of(std::string_view name) {
        auto slot = std::ranges::find(slots_, name, &Slot::name);
        if (slot == slots_.end()) slot = slots_.insert(slot, Slot{.name = name, .next = {}});
        return *slot;
    }

    static std::string joined(const std::set<std::string>& words) {
        std::string text;
        for (const std::string& word : words) text.append(text.empty() ? "" : ",").append(word);
        return text;
    }

    std::vector<Slot> slots_;  // of those that were ever requested
};

}  // namespace flowfabric::postgres
