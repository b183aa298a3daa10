#include "engine/events/event_tail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "support/random.hpp"

namespace flowfabric {
namespace {

using test::Random;
using testing::ElementsAre;
using testing::IsEmpty;

Event completion(std::int64_t id, std::uint16_t partition = 0, std::string namespace_name = "default",
                 std::optional<std::string> tag = {}) {
    CompletionEvent event;
    event.event_id = id;
    event.execution_id.partition = partition;
    event.namespace_name = std::move(namespace_name);
    event.instance_tag = std::move(tag);
    return event;
}

// A bounded queue; what it took stays on record.
class Box final : public EventSink {
  public:
    explicit Box(std::size_t capacity = std::numeric_limits<std::size_t>::max()) : capacity_(capacity) {}

    bool offer(const std::shared_ptr<const Event>& event) override {
        if (queue_.size() >= capacity_) return false;
        queue_.push_back(event);
        taken.push_back(id_of(*event));
        return true;
    }
    bool has_room() override { return queue_.size() < capacity_; }
    bool closed() const override { return closed_; }
    void reached(std::int64_t position) override { position_ = position; }
    void expired(std::int64_t position, std::int64_t trimmed) override { expired_at = {position, trimmed}; }

    void consume(std::size_t count) {
        for (; count > 0 && !queue_.empty(); --count) queue_.pop_front();
    }
    void close() { closed_ = true; }
    const Event& last() const { return *queue_.back(); }

    std::int64_t position() const { return position_; }

    std::vector<std::int64_t> taken;
    std::optional<std::pair<std::int64_t, std::int64_t>> expired_at;

  private:
    std::int64_t position_ = 0;
    std::size_t capacity_;
    std::deque<std::shared_ptr<const Event>> queue_;
    bool closed_ = false;
};

// A tail over an outbox of the test's own, read in pages.
class Outbox {
  public:
    explicit Outbox(std::size_t page = 1000) : page_(page) {}

    void add(Event event) { events_.push_back(std::move(event)); }
    void add_up_to(std::int64_t last) {
        for (std::int64_t id = events_.empty() ? 1 : id_of(events_.back()) + 1; id <= last; ++id) add(completion(id));
    }
    void trim(std::int64_t through) {
        std::erase_if(events_, [&](const Event& event) { return id_of(event) <= through; });
        trimmed_ = through;
    }
    std::int64_t last() const { return events_.empty() ? 0 : id_of(events_.back()); }
    const std::vector<Event>& events() const { return events_; }

    std::shared_ptr<Box> follow(std::int64_t from, EventFilter filter = {}, std::shared_ptr<Box> box = {}) {
        if (!box) box = std::make_shared<Box>();
        tail.follow(box, std::move(filter), from);
        return box;
    }

    // One reading, if there is anything to read.
    bool read_once() {
        const auto wanted = tail.wanted();
        if (!wanted) return false;
        EXPECT_LT(wanted->after, wanted->up_to);
        ++reads;
        EventPage found{.events = {}, .trimmed = trimmed_};
        for (const Event& event : events_) {
            if (id_of(event) > wanted->after && id_of(event) <= wanted->up_to && found.events.size() < page_) {
                found.events.push_back(event);
            }
        }
        const bool complete = found.events.size() < page_;
        tail.on_events(*wanted, std::move(found), complete);
        return true;
    }
    void read_all() {
        while (read_once()) {
        }
    }
    void decide_and_read(std::int64_t up_to) {
        tail.on_decided(up_to);
        read_all();
    }

    EventTail tail;
    int reads = 0;

  private:
    std::int64_t trimmed_ = 0;
    std::size_t page_;
    std::vector<Event> events_;
};

std::vector<std::int64_t> ids(std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> all;
    for (std::int64_t id = first; id <= last; ++id) all.push_back(id);
    return all;
}

// ---- filters ----------------------------------------------------------------------------------------------------

TEST(EventFilter, WithoutConditionsAdmitsEverything) {
    EXPECT_TRUE(EventFilter{}.admits(completion(1)));
    EXPECT_TRUE(EventFilter{}.admits(SignalEvent{}));
    EXPECT_TRUE(EventFilter{}.admits(OperatorEvent{}));
    EXPECT_TRUE(EventFilter{}.admits(LeaseEvent{}));
}

TEST(EventFilter, EveryConditionMustHold) {
    const EventFilter filter{.partition = 7, .namespace_name = "shop", .instance_tag = "a"};
    EXPECT_TRUE(filter.admits(completion(1, 7, "shop", "a")));
    EXPECT_FALSE(filter.admits(completion(1, 8, "shop", "a")));
    EXPECT_FALSE(filter.admits(completion(1, 7, "shops", "a")));
    EXPECT_FALSE(filter.admits(completion(1, 7, "shop", "b")));
}

TEST(EventFilter, AnAbsentValueMatchesNoFilterNotEvenTheEmptyOne) {
    EXPECT_FALSE((EventFilter{.partition = {}, .namespace_name = {}, .instance_tag = ""}.admits(completion(1))));
    EXPECT_FALSE((EventFilter{.partition = {}, .namespace_name = "", .instance_tag = {}}.admits(SignalEvent{})));
    EXPECT_FALSE((EventFilter{.partition = {}, .namespace_name = "", .instance_tag = {}}.admits(OperatorEvent{})));
    EXPECT_FALSE((EventFilter{.partition = {}, .namespace_name = "x", .instance_tag = {}}.admits(OperatorEvent{})));
}

TEST(EventFilter, AnOperatorEventHasThePartitionOfItsRow) {
    OperatorEvent event;
    event.partition_key = 9;
    EXPECT_TRUE((EventFilter{.partition = 9, .namespace_name = {}, .instance_tag = {}}.admits(event)));
    EXPECT_FALSE((EventFilter{.partition = 0, .namespace_name = {}, .instance_tag = {}}.admits(event)));
}

// ---- order and sharing ------------------------------------------------------------------------------------------

TEST(EventTail, WantsNothingWithoutFollowers) {
    EventTail tail;
    tail.on_decided(10);
    EXPECT_FALSE(tail.wanted());
    EXPECT_TRUE(tail.empty());
}

TEST(EventTail, HandsOutWhatIsDecidedInOrderAndOnce) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(3);
    EXPECT_EQ(box->taken, ids(1, 3));
    outbox.decide_and_read(3);
    EXPECT_EQ(box->taken, ids(1, 3));
    outbox.decide_and_read(5);
    EXPECT_EQ(box->taken, ids(1, 5));
}

TEST(EventTail, WhatIsDecidedStaysDecided) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    outbox.decide_and_read(2);
    EXPECT_EQ(box->taken, ids(1, 5));
}

TEST(EventTail, GapsInTheIdsAreNoObstacle) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    outbox.add(completion(4));
    outbox.add(completion(9));
    outbox.decide_and_read(6);
    outbox.decide_and_read(12);
    EXPECT_THAT(box->taken, ElementsAre(4, 9));
}

TEST(EventTail, ReadsOnceForAllWhoKeepUp) {
    Outbox outbox;
    const auto first = outbox.follow(0);
    const auto second = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    EXPECT_EQ(first->taken, ids(1, 5));
    EXPECT_EQ(second->taken, ids(1, 5));
    EXPECT_EQ(outbox.reads, 1);
}

TEST(EventTail, EachFollowerSeesWhatItsFilterAdmits) {
    Outbox outbox;
    const auto all = outbox.follow(0);
    const auto partition = outbox.follow(0, {.partition = 1, .namespace_name = {}, .instance_tag = {}});
    const auto shop = outbox.follow(0, {.partition = {}, .namespace_name = "shop", .instance_tag = {}});
    const auto tagged = outbox.follow(0, {.partition = {}, .namespace_name = {}, .instance_tag = "a"});
    outbox.add(completion(1, 1, "shop", "a"));
    outbox.add(completion(2, 2, "shop"));
    outbox.add(completion(3, 1, "default", "b"));
    outbox.decide_and_read(3);
    EXPECT_THAT(all->taken, ElementsAre(1, 2, 3));
    EXPECT_THAT(partition->taken, ElementsAre(1, 3));
    EXPECT_THAT(shop->taken, ElementsAre(1, 2));
    EXPECT_THAT(tagged->taken, ElementsAre(1));
}

TEST(EventTail, APositionPassesEventsThatAreNotForTheFollower) {
    Outbox outbox;
    outbox.follow(0, {.partition = 200, .namespace_name = {}, .instance_tag = {}});
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    EXPECT_EQ(outbox.tail.followers().front()->position, 5);
}

TEST(EventTail, PagesAreCutBehindTheirLastEvent) {
    Outbox outbox(2);
    const auto box = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    EXPECT_EQ(box->taken, ids(1, 5));
    EXPECT_EQ(outbox.reads, 3);
}

TEST(EventTail, APageThatEndsExactlyAtTheRangeLosesNothing) {
    Outbox outbox(3);
    const auto box = outbox.follow(0);
    outbox.add_up_to(3);
    outbox.decide_and_read(3);
    outbox.add_up_to(6);
    outbox.decide_and_read(6);
    EXPECT_EQ(box->taken, ids(1, 6));
}

// ---- where followers begin --------------------------------------------------------------------------------------

TEST(EventTail, AFollowerFromNowSeesOnlyWhatComes) {
    Outbox outbox;
    outbox.add_up_to(5);
    outbox.tail.on_decided(5);
    const auto box = outbox.follow(5);
    outbox.read_all();
    EXPECT_THAT(box->taken, IsEmpty());
    outbox.add_up_to(7);
    outbox.decide_and_read(7);
    EXPECT_EQ(box->taken, ids(6, 7));
}

TEST(EventTail, AFollowerFromAnOldCursorIsReadForAlone) {
    Outbox outbox;
    const auto old_hand = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    const auto latecomer = outbox.follow(2);
    outbox.read_all();
    EXPECT_EQ(latecomer->taken, ids(3, 5));
    EXPECT_EQ(old_hand->taken, ids(1, 5));
    outbox.add_up_to(8);
    outbox.reads = 0;
    outbox.decide_and_read(8);
    EXPECT_EQ(latecomer->taken, ids(3, 8));
    EXPECT_EQ(old_hand->taken, ids(1, 8));
    EXPECT_EQ(outbox.reads, 1) << "having caught up, it shares";
}

TEST(EventTail, AFollowerFromAFutureCursorWaitsForIt) {
    Outbox outbox;
    const auto here = outbox.follow(0);
    outbox.add_up_to(3);
    outbox.decide_and_read(3);
    const auto ahead = outbox.follow(6);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    EXPECT_THAT(ahead->taken, IsEmpty());
    outbox.add_up_to(9);
    outbox.decide_and_read(9);
    EXPECT_EQ(ahead->taken, ids(7, 9));
    EXPECT_EQ(here->taken, ids(1, 9));
}

TEST(EventTail, AFirstFollowerFromTheFutureDoesNotHoldUpTheSecond) {
    Outbox outbox;
    const auto ahead = outbox.follow(6);
    const auto here = outbox.follow(0);
    outbox.add_up_to(4);
    outbox.decide_and_read(4);
    EXPECT_EQ(here->taken, ids(1, 4));
    outbox.add_up_to(9);
    outbox.decide_and_read(9);
    EXPECT_EQ(here->taken, ids(1, 9));
    EXPECT_EQ(ahead->taken, ids(7, 9));
}

TEST(EventTail, StragglersTakeTurns) {
    Outbox outbox(2);
    outbox.add_up_to(8);
    outbox.tail.on_decided(8);
    const auto first = outbox.follow(0);
    const auto second = outbox.follow(0);
    outbox.read_once();
    outbox.read_once();
    EXPECT_EQ(first->taken, ids(1, 2));
    EXPECT_EQ(second->taken, ids(1, 2));
}

TEST(EventTail, NewEventsComeBeforeAStragglersOldOnes) {
    Outbox outbox(2);
    outbox.add_up_to(8);
    outbox.tail.on_decided(8);
    const auto here = outbox.follow(8);
    const auto behind = outbox.follow(0);
    outbox.add_up_to(9);
    outbox.tail.on_decided(9);
    outbox.read_once();
    EXPECT_THAT(here->taken, ElementsAre(9));
    EXPECT_THAT(behind->taken, IsEmpty());
    outbox.read_all();
    EXPECT_EQ(behind->taken, ids(1, 9));
}

// ---- without room -----------------------------------------------------------------------------------------------

TEST(EventTail, WhoHasNoRoomFallsBehindAloneAndCatchesUp) {
    Outbox outbox;
    const auto quick = outbox.follow(0);
    const auto slow = outbox.follow(0, {}, std::make_shared<Box>(2));
    outbox.add_up_to(7);
    outbox.decide_and_read(7);
    EXPECT_EQ(quick->taken, ids(1, 7));
    EXPECT_EQ(slow->taken, ids(1, 2));
    for (int i = 0; i < 10; ++i) {
        slow->consume(1);
        outbox.read_all();
    }
    EXPECT_EQ(slow->taken, ids(1, 7));
    EXPECT_EQ(quick->taken, ids(1, 7));
}

TEST(EventTail, IsNotReadForAFollowerWithoutRoom) {
    Outbox outbox;
    outbox.follow(0, {}, std::make_shared<Box>(1));
    outbox.add_up_to(4);
    outbox.decide_and_read(4);
    EXPECT_FALSE(outbox.tail.wanted());
}

TEST(EventTail, AFilteredFollowerWithoutRoomFallsBehindOnlyAtAnEventOfItsOwn) {
    Outbox outbox;
    const auto box =
        outbox.follow(0, {.partition = 1, .namespace_name = {}, .instance_tag = {}}, std::make_shared<Box>(1));
    outbox.add(completion(1, 1));
    outbox.add(completion(2, 2));
    outbox.decide_and_read(2);
    EXPECT_TRUE(outbox.tail.followers().front()->keeps_up);
    EXPECT_EQ(outbox.tail.followers().front()->position, 2);
    outbox.add(completion(3, 1));
    outbox.add(completion(4, 2));
    outbox.decide_and_read(4);
    EXPECT_EQ(outbox.tail.followers().front()->position, 2) << "it stays before the event that it could not take";
    box->consume(1);
    outbox.read_all();
    EXPECT_THAT(box->taken, ElementsAre(1, 3));
}

TEST(EventTail, NothingIsLeftUnwantedWhenTheLastWhoKeptUpFallsBehindInMidPage) {
    Outbox outbox(3);
    const auto box = outbox.follow(0, {}, std::make_shared<Box>(2));
    outbox.add_up_to(8);
    outbox.decide_and_read(8);
    EXPECT_EQ(box->taken, ids(1, 2));
    // Without another word on what is decided, room alone brings it on, as far as the room goes.
    for (const std::int64_t reached : {4, 6, 8}) {
        box->consume(2);
        outbox.read_all();
        EXPECT_EQ(box->taken, ids(1, reached));
    }
}

// ---- closing ----------------------------------------------------------------------------------------------------

TEST(EventTail, AClosedFollowerIsDroppedAndTheOthersGoOn) {
    Outbox outbox;
    const auto closing = outbox.follow(0);
    const auto staying = outbox.follow(0);
    outbox.add_up_to(2);
    outbox.decide_and_read(2);
    closing->close();
    outbox.tail.drop_closed();
    EXPECT_EQ(outbox.tail.followers().size(), 1U);
    outbox.add_up_to(4);
    outbox.decide_and_read(4);
    EXPECT_EQ(closing->taken, ids(1, 2));
    EXPECT_EQ(staying->taken, ids(1, 4));
}

TEST(EventTail, WhoComesAfterAllHaveLeftMissesNothing) {
    Outbox outbox;
    const auto closing = outbox.follow(0);
    outbox.add_up_to(2);
    outbox.decide_and_read(2);
    closing->close();
    outbox.tail.drop_closed();
    EXPECT_TRUE(outbox.tail.empty());
    outbox.add_up_to(5);
    const auto returning = outbox.follow(2);
    outbox.decide_and_read(5);
    EXPECT_EQ(returning->taken, ids(3, 5));
}

// ---- lost connections -------------------------------------------------------------------------------------------

TEST(EventTail, ReadsOnBehindTheLastEventAfterALostConnection) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    const auto filtered = outbox.follow(0, {.partition = 1, .namespace_name = {}, .instance_tag = {}});
    outbox.add_up_to(2);
    outbox.decide_and_read(9);  // seven ids were rolled back, and a crash takes them back
    outbox.tail.on_disconnected();
    outbox.add(completion(3, 1));
    outbox.add(completion(4));
    outbox.decide_and_read(4);
    EXPECT_EQ(box->taken, ids(1, 4));
    EXPECT_THAT(filtered->taken, ElementsAre(3));
}

TEST(EventTail, WhatWasDecidedBeforeALostConnectionIsDecidedAnew) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    outbox.add_up_to(2);
    outbox.decide_and_read(9);
    outbox.tail.on_disconnected();
    outbox.add(completion(4));
    outbox.decide_and_read(2);
    EXPECT_EQ(box->taken, ids(1, 2)) << "3 may still come";
}

TEST(EventTail, ALostConnectionIsNoReasonToReadAnythingAgain) {
    Outbox outbox;
    const auto first = outbox.follow(0);
    const auto second = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    outbox.reads = 0;
    outbox.tail.on_disconnected();
    outbox.read_all();
    EXPECT_EQ(outbox.reads, 0);
    outbox.add_up_to(6);
    outbox.tail.on_decided(6);
    EXPECT_EQ(outbox.tail.wanted()->after, 5);
    outbox.read_all();
    EXPECT_EQ(outbox.reads, 1) << "for both at once";
    EXPECT_EQ(first->taken, ids(1, 6));
    EXPECT_EQ(second->taken, ids(1, 6));
}

// ---- any interleaving -------------------------------------------------------------------------------------------

struct Party {
    std::shared_ptr<Box> box;
    EventFilter filter;
    std::int64_t from = 0;
};

EventFilter some_filter(Random& random) {
    EventFilter filter;
    if (random.chance(30)) filter.partition = static_cast<std::uint16_t>(random.below(3));
    if (random.chance(30)) filter.namespace_name = random.pick<std::string>({"shop", "default"});
    if (random.chance(20)) filter.instance_tag = random.pick<std::string>({"a", "b"});
    return filter;
}

Event some_event(Random& random, std::int64_t id) {
    auto event = completion(id, static_cast<std::uint16_t>(random.below(3)));
    auto& fields = std::get<CompletionEvent>(event);
    if (random.chance(50)) fields.namespace_name = "shop";
    if (random.chance(50)) fields.instance_tag = random.pick<std::string>({"a", "b"});
    return event;
}

std::vector<std::int64_t> owed(const Outbox& outbox, const Party& party, std::int64_t decided) {
    std::vector<std::int64_t> all;
    for (const Event& event : outbox.events()) {
        const std::int64_t id = id_of(event);
        if (id > party.from && id <= decided && party.filter.admits(event)) all.push_back(id);
    }
    return all;
}

void expect_beginning(const std::vector<std::int64_t>& taken, const std::vector<std::int64_t>& of) {
    ASSERT_LE(taken.size(), of.size());
    EXPECT_TRUE(std::equal(taken.begin(), taken.end(), of.begin())) << testing::PrintToString(taken);
}

TEST(EventTail, EveryInterleavingGivesEachFollowerWhatItIsOwed) {
    for (const std::uint64_t seed : test::seeds(500)) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        Random random(seed);
        Outbox outbox(static_cast<std::size_t>(random.between(1, 5)));
        std::vector<Party> parties;
        std::int64_t decided = 0;
        std::int64_t drawn = 0;
        for (int step = 0; step < 150; ++step) {
            switch (random.below(8)) {
                case 0:
                    drawn += random.between(1, 3);
                    outbox.add(some_event(random, drawn));
                    if (random.chance(20)) drawn += random.between(1, 3);  // rolled back
                    break;
                case 1:
                    if (drawn > decided) decided = random.between(decided, drawn);
                    outbox.tail.on_decided(decided);
                    break;
                case 2:
                    if (parties.size() < 6) {
                        Party party{.box = std::make_shared<Box>(static_cast<std::size_t>(random.between(1, 4))),
                                    .filter = some_filter(random),
                                    .from = random.between(0, drawn + 5)};
                        outbox.follow(party.from, party.filter, party.box);
                        parties.push_back(std::move(party));
                    }
                    break;
                case 3:
                    if (random.chance(10) && !parties.empty()) {
                        const auto leaving =
                            parties.begin() + static_cast<std::ptrdiff_t>(random.below(parties.size()));
                        expect_beginning(leaving->box->taken, owed(outbox, *leaving, decided));
                        leaving->box->close();
                        outbox.tail.drop_closed();
                        parties.erase(leaving);
                    }
                    break;
                case 4:
                    for (const Party& party : parties) party.box->consume(random.below(3));
                    break;
                case 5:
                    if (random.chance(20)) {
                        drawn = outbox.last();
                        decided = std::min(decided, drawn);
                        outbox.tail.on_disconnected();
                    }
                    break;
                default:
                    outbox.read_once();
            }
            for (const Party& party : parties) expect_beginning(party.box->taken, owed(outbox, party, decided));
        }
        outbox.tail.on_decided(decided);
        // Room and readings alone bring everybody to the end of what is decided.
        for (std::int64_t round = 0; round <= 2 * drawn + 10; ++round) {
            for (const Party& party : parties) party.box->consume(4);
            outbox.read_all();
        }
        for (const Party& party : parties) EXPECT_EQ(party.box->taken, owed(outbox, party, decided));
        if (testing::Test::HasFailure()) return;
    }
}

// ---- what is gone -------------------------------------------------------------------------------------------------

TEST(EventTailTrim, WhoNeedsWhatIsGoneEndsAndOthersGoOn) {
    Outbox outbox;
    const auto early = outbox.follow(0);
    const auto late = outbox.follow(6);
    outbox.add_up_to(10);
    outbox.trim(5);
    outbox.decide_and_read(10);

    EXPECT_THAT(early->taken, IsEmpty());
    EXPECT_EQ(early->expired_at, std::pair(std::int64_t{0}, std::int64_t{5}));
    EXPECT_THAT(late->taken, ElementsAre(7, 8, 9, 10));
    EXPECT_FALSE(late->expired_at);
    EXPECT_EQ(outbox.tail.followers().size(), 1U);
}

TEST(EventTailTrim, WhoHasPassedItIsNotTouched) {
    Outbox outbox;
    const auto box = outbox.follow(0);
    outbox.add_up_to(5);
    outbox.decide_and_read(5);
    outbox.trim(5);
    outbox.add(completion(6));
    outbox.decide_and_read(6);

    EXPECT_THAT(box->taken, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_FALSE(box->expired_at);
}

TEST(EventTailTrim, AStragglerIsNotServedAPageWithAHole) {
    Outbox outbox;
    const auto fast = outbox.follow(0);
    const auto slow = outbox.follow(0, {}, std::make_shared<Box>(2));
    outbox.add_up_to(9);
    outbox.decide_and_read(9);
    EXPECT_THAT(slow->taken, ElementsAre(1, 2));
    outbox.trim(4);
    slow->consume(2);
    outbox.read_all();

    EXPECT_THAT(slow->taken, ElementsAre(1, 2));
    EXPECT_EQ(slow->expired_at, std::pair(std::int64_t{2}, std::int64_t{4}));
    EXPECT_EQ(fast->taken.size(), 9U);
    EXPECT_FALSE(fast->expired_at);
}

TEST(EventTailTrim, ASinkHearsHowFarItIsServedWhateverItsFilter) {
    Outbox outbox;
    const auto box = outbox.follow(2, {.partition = std::uint16_t{7}});
    EXPECT_EQ(box->position(), 2);
    outbox.add_up_to(9);
    outbox.decide_and_read(9);
    EXPECT_THAT(box->taken, IsEmpty());
    EXPECT_EQ(box->position(), 9);
}

}  // namespace
}  // namespace flowfabric
