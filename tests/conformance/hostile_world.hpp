#pragma once

#include <functional>
#include <limits>

#include "core/base/names.hpp"
#include "core/execution/view.hpp"
#include "support/fixture.hpp"

// Every field of every command, one table row per way to break it: the answer names the field and nothing is written,
// or the value is accepted and reads back to the byte, on every store alike.
namespace flowfabric::test {

inline constexpr auto longest_u64 = std::numeric_limits<std::uint64_t>::max();

// What a row's command may be about.
struct World {
    ExecutionId fresh;  // nobody's id
    std::string lane;   // only `waiting` is on it
    ExecutionId waiting;
    ClaimedExecution held;
    FlowId flow;  // open and empty
};

using Make = std::function<Commands(const World&)>;

struct Refused {
    std::string name;
    Make make;
    ErrorKind kind;
    std::string field;
};

inline std::string repeated(std::string_view unit, std::size_t bytes) {
    std::string text;
    while (text.size() + unit.size() <= bytes) text += unit;
    return text;
}

inline std::optional<std::string> tag_of(const ExecutionRow& row, const std::string& key) {
    const Tags tags = view_of(row).tags;
    const auto tag = tags.find(key);
    return tag == tags.end() ? std::nullopt : std::optional(tag->second);
}

class HostileWorldTest : public StoreTest {
  protected:
    World make_world() {
        World world;
        const std::string number = std::to_string(++worlds_);
        world.fresh = ExecutionId{7, value_of(Uuid::parse("00000000-0000-4000-8000-" + padded(number)))};
        world.lane = "lane " + number;
        create();
        world.held = claim();
        CreateExecution waiting;
        waiting.lane_id = world.lane;
        waiting.tags = {{"z.there", "x"}};
        world.waiting = create(std::move(waiting));
        world.flow = value_of(run(CreateFlow{})).flow_id;
        return world;
    }

    std::optional<EngineError> refusal_of(Commands command) {
        return std::visit(
            [&](auto& one) -> std::optional<EngineError> {
                const auto answer = run(std::move(one));
                return answer ? std::nullopt : std::optional(answer.error());
            },
            command);
    }

    // Nothing that is refused leaves a trace, and the answer names the field in a text that can be shown and stored.
    void expect_refused(const World& world, const std::vector<Refused>& rows) {
        const Dump before = snapshot();
        for (const Refused& row : rows) {
            SCOPED_TRACE(row.field + ": " + row.name);
            const auto refusal = refusal_of(row.make(world));
            ASSERT_TRUE(refusal) << "accepted";
            EXPECT_EQ(name_of(refusal->kind), name_of(row.kind)) << to_string(*refusal);
            EXPECT_THAT(refusal->detail, ::testing::HasSubstr(row.field));
            EXPECT_TRUE(check_text("detail", refusal->detail, 1000));
            const Dump after = snapshot();
            ASSERT_TRUE(before == after) << difference(before, after);
        }
    }

    // Runs the command on a world of its own and gives the row that it is about.
    std::optional<ExecutionRow> row_after(const Make& make) {
        const World world = make_world();
        Commands command = make(world);
        const ExecutionId subject = subject_of(command, world);
        if (const auto refusal = refusal_of(std::move(command))) {
            ADD_FAILURE() << "refused: " << to_string(*refusal).substr(0, 500);
            return std::nullopt;
        }
        return row(subject);
    }

  private:
    static std::string padded(const std::string& number) { return std::string(12 - number.size(), '0') + number; }

    static ExecutionId subject_of(const Commands& command, const World& world) {
        return std::visit(
            [&](const auto& one) -> ExecutionId {
                if constexpr (requires { one.lease; }) return world.held.execution_id;
                if constexpr (requires { one.input_payload; }) return one.execution_id.value();
                return world.waiting;
            },
            command);
    }

    int worlds_ = 0;
};

}  // namespace flowfabric::test
