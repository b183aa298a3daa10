#include "conformance/hostile_world.hpp"
#include "runtime/engine_impl.hpp"

// What names an execution or a lease, broken in every way: handles, fences and ids.
namespace flowfabric::test {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every operation that proves its lease.
struct LeaseCommand {
    std::string name;
    std::function<Commands(const LeaseRef&)> with;
};

template <class C>
LeaseCommand command_on_lease(std::string name) {
    return {.name = std::move(name), .with = [](const LeaseRef& lease) {
                C command;
                command.lease = lease;
                if constexpr (requires { command.lease_ttl_ms; }) command.lease_ttl_ms = 5000;
                return Commands(std::move(command));
            }};
}

std::vector<LeaseCommand> lease_commands() {
    return {command_on_lease<Renew>("renew"),
            command_on_lease<Complete>("complete"),
            command_on_lease<Fail>("fail"),
            command_on_lease<Progress>("progress"),
            command_on_lease<Delay>("delay"),
            command_on_lease<ReleaseUnstarted>("release_unstarted"),
            command_on_lease<Cancel>("cancel"),
            command_on_lease<WaitChildren>("wait_children"),
            {.name = "cancel_execution", .with = [](const LeaseRef& lease) {
                 CancelExecution command;
                 command.execution = std::get<Fence>(lease);
                 command.source = "lease_holder";
                 return Commands(std::move(command));
             }}};
}

struct BadFence {
    std::string name;
    std::function<void(Fence&)> change;
    ErrorKind kind;
    std::string in_detail;
};

std::vector<BadFence> bad_fences() {
    using enum ErrorKind;
    std::vector<BadFence> rows{
        {"partition 256", [](Fence& f) { f.execution_id.partition = 256; }, invalid_input, "execution_id"},
        {"partition 65535", [](Fence& f) { f.execution_id.partition = 65'535; }, invalid_input, "execution_id"},
        {"nil execution", [](Fence& f) { f.execution_id = {}; }, execution_not_found, "{fp:0}:00000000"},
        {"another partition", [](Fence& f) { f.execution_id.partition ^= 1U; }, execution_not_found, "{fp:"},
        {"nil lease", [](Fence& f) { f.lease_id.emplace(); }, stale_lease, ""},
        {"nil attempt", [](Fence& f) { f.attempt_id.emplace(); }, stale_lease, ""},
    };
    for (const std::uint64_t epoch : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1} << 63U, longest_u64}) {
        rows.push_back({"epoch " + std::to_string(epoch), [epoch](Fence& f) { f.lease_epoch = LeaseEpoch{epoch}; },
                        stale_lease, ""});
    }
    for (unsigned given = 0; given < 7; ++given) {
        const std::string reason = given == 0 ? "fence_required" : "partial_fence_triple";
        rows.push_back({"parts " + std::to_string(given),
                        [given](Fence& f) {
                            if ((given & 1U) == 0) f.lease_id.reset();
                            if ((given & 2U) == 0) f.lease_epoch.reset();
                            if ((given & 4U) == 0) f.attempt_id.reset();
                        },
                        invalid_input, reason});
    }
    return rows;
}

std::vector<LeaseCommand> handle_commands() {
    std::vector<LeaseCommand> commands = lease_commands();
    commands.pop_back();  // cancel_execution knows fences only
    return commands;
}

class HostileReferenceTest : public HostileWorldTest {
  protected:
    void expect_refusal(Commands command, ErrorKind kind, const std::string& in_detail = "") {
        const auto refusal = refusal_of(std::move(command));
        ASSERT_TRUE(refusal) << "accepted";
        EXPECT_EQ(name_of(refusal->kind), name_of(kind)) << to_string(*refusal);
        EXPECT_THAT(refusal->detail, HasSubstr(in_detail));
        EXPECT_TRUE(is_valid_utf8(refusal->detail));
    }

    // By every operation that takes a handle, without a trace.
    void expect_handles_refused(const std::vector<Handle>& handles, ErrorKind kind, const std::string& in_detail = "") {
        expect_no_change([&] {
            for (const LeaseCommand& command : handle_commands()) {
                for (const Handle& handle : handles) {
                    SCOPED_TRACE(command.name + ", " + std::to_string(handle.opaque.size()) + " bytes");
                    expect_refusal(command.with(handle), kind, in_detail);
                }
            }
        });
    }

    ClaimedExecution held() {
        create();
        return claim();
    }
    BackendTag own_tag() { return backend().traits().tag; }
    std::vector<BackendTag> other_tags() {
        std::vector<BackendTag> tags{BackendTag::valkey, BackendTag::postgres, BackendTag::sqlite, BackendTag::memory};
        std::erase(tags, own_tag());
        return tags;
    }
};

Handle with_byte(Handle handle, std::size_t position, unsigned byte) {
    handle.opaque.at(position) = static_cast<char>(byte);
    return handle;
}

Handle with_bytes(Handle handle, std::string opaque) {
    handle.opaque = std::move(opaque);
    return handle;
}

TEST_P(HostileReferenceTest, FencesThatAreNoneAreRefused) {
    const ClaimedExecution claimed = held();
    expect_no_change([&] {
        for (const LeaseCommand& command : lease_commands()) {
            for (const BadFence& bad : bad_fences()) {
                SCOPED_TRACE(command.name + " with " + bad.name);
                Fence fence = fence_of(claimed);
                bad.change(fence);
                expect_refusal(command.with(fence), bad.kind, bad.in_detail);
            }
        }
    });
}

TEST_P(HostileReferenceTest, AnOperatorNamesAnExecutionThatExists) {
    const ClaimedExecution claimed = held();
    expect_no_change([&] {
        for (const BadFence& bad : bad_fences()) {
            Fence fence = fence_of(claimed);
            bad.change(fence);
            if (fence.execution_id == claimed.execution_id) continue;
            SCOPED_TRACE(bad.name);
            CancelExecution command;
            command.execution.execution_id = fence.execution_id;
            expect_refusal(std::move(command), bad.kind, bad.in_detail);
        }
    });
}

TEST_P(HostileReferenceTest, AHandleCutAnywhereIsCorrupt) {
    const Handle whole = held().handle;
    std::vector<Handle> cut;
    for (std::size_t size = 0; size < whole.opaque.size(); ++size) {
        cut.push_back(with_bytes(whole, whole.opaque.substr(0, size)));
    }
    expect_handles_refused(cut, ErrorKind::corruption, "handle");
}

TEST_P(HostileReferenceTest, AHandleOfOtherBytesIsCorrupt) {
    const Handle whole = held().handle;
    std::vector<Handle> broken;
    for (const std::string& tail : {"\0"s, "x"s, whole.opaque, std::string(1'048'576, 'x')}) {
        broken.push_back(with_bytes(whole, whole.opaque + tail));
    }
    for (const unsigned magic : {0U, 3U, 0x7BU, 0xFFU}) broken.push_back(with_byte(whole, 0, magic));
    for (const unsigned version : {0U, 2U, 0xFFU}) broken.push_back(with_byte(whole, 1, version));
    for (const unsigned tag : {0U, 5U, 0x80U, 0xFFU}) broken.push_back(with_byte(whole, 2, tag));
    // Lengths that point outside, the largest one included.
    for (std::size_t i = 3; i < 7; ++i) broken.push_back(with_byte(whole, i, 0xFF));
    Handle endless = whole;
    endless.opaque.replace(3, 4, "\xFF\xFF\xFF\xFF");
    broken.push_back(endless);
    broken.push_back(with_bytes(whole, std::string(whole.opaque.size(), '\0')));
    broken.push_back(with_bytes(whole, "{\"execution_id\":\"x\"}"));
    broken.push_back(forged(whole, [](HandleContent& c) { c.lane_id = "l\xFF"; }));
    broken.push_back(forged(whole, [](HandleContent& c) { c.worker_instance_id = "\xC0\x80"; }));
    expect_handles_refused(broken, ErrorKind::corruption, "handle");
}

TEST_P(HostileReferenceTest, AHandleOfAnotherStoreIsRefusedByEitherTag) {
    const Handle own = held().handle;
    const HandleContent content = value_of(decode_handle(own, own_tag()));
    std::vector<Handle> foreign;
    for (const BackendTag tag : other_tags()) {
        const Handle theirs = encode_handle(tag, own.kind, content);
        foreign.push_back(theirs);
        foreign.push_back(with_bytes(own, theirs.opaque));
        foreign.push_back(with_bytes(theirs, own.opaque));
    }
    for (const unsigned unknown : {0U, 5U, 0xFFU}) {
        foreign.push_back(own);
        foreign.back().backend = static_cast<BackendTag>(unknown);
    }
    foreign.push_back(with_byte(own, 0, 1));  // the first format was another store's
    expect_handles_refused(foreign, ErrorKind::handle_from_other_backend, "handle");
}

TEST_P(HostileReferenceTest, AForgedHandleIsStale) {
    const Handle own = held().handle;
    Handle suspended = own;
    suspended.kind = HandleKind::suspended;
    expect_handles_refused({suspended, forged(own, [](HandleContent& c) { ++c.lease_epoch; }),
                            forged(own, [](HandleContent& c) { c.lease_epoch = longest_u64; }),
                            forged(own, [](HandleContent& c) { c.lease_id = {}; }),
                            forged(own, [](HandleContent& c) { c.attempt_id = {}; }),
                            forged(own, [](HandleContent& c) { ++c.attempt_index; }),
                            forged(own, [](HandleContent& c) { std::swap(c.lease_id.uuid, c.attempt_id.uuid); })},
                           ErrorKind::stale_lease);
}

TEST_P(HostileReferenceTest, AHandleOfNoPartitionIsRefused) {
    const Handle own = held().handle;
    expect_handles_refused({forged(own, [](HandleContent& c) { c.execution_id.partition = 256; }),
                            forged(own, [](HandleContent& c) { c.execution_id.partition = 65'535; })},
                           ErrorKind::invalid_input, "execution_id");
    expect_handles_refused({forged(own, [](HandleContent& c) { c.execution_id.partition = 255; })},
                           ErrorKind::execution_not_found);
}

TEST_P(HostileReferenceTest, AnAttemptIndexThatNoColumnHoldsIsRefused) {
    const Handle own = held().handle;
    expect_handles_refused(
        {forged(own, [](HandleContent& c) { c.attempt_index = 0x8000'0000U; }),
         forged(own, [](HandleContent& c) { c.attempt_index = std::numeric_limits<std::uint32_t>::max(); })},
        ErrorKind::invalid_input, "attempt_index");
}

TEST_P(HostileReferenceTest, ARenewalIsHeldToTheLimitsOfItsHandlesTtl) {
    const Handle own = held().handle;
    expect_no_change([&] {
        for (const std::uint64_t ttl : {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{86'400'001}, longest_u64}) {
            const Handle handle = forged(own, [ttl](HandleContent& c) { c.lease_ttl_ms = ttl; });
            expect_error(renew(handle), ErrorKind::invalid_input, "lease_ttl_ms");
        }
    });
}

// Which part of a handle a byte belongs to, in the order of the bytes.
enum class Part : std::uint8_t { header, length, execution, index, id, epoch, unfenced };

std::vector<Part> parts_of(const HandleContent& content) {
    std::vector<Part> parts(3, Part::header);
    const auto add = [&](Part part, std::size_t bytes) { parts.insert(parts.end(), bytes, part); };
    const auto add_text = [&](Part part, std::size_t bytes) {
        add(Part::length, 4);
        add(part, bytes);
    };
    add_text(Part::execution, content.execution_id.to_string().size());
    add(Part::index, 4);
    add_text(Part::id, 36);
    add_text(Part::id, 36);
    add(Part::epoch, 8);
    add(Part::unfenced, 8);
    add_text(Part::unfenced, content.lane_id.size());
    add_text(Part::unfenced, content.worker_instance_id.size());
    return parts;
}

TEST_P(HostileReferenceTest, AFlippedBitIsNoticedOrMeansTheSame) {
    const Handle own = held().handle;
    const std::vector<Part> parts = parts_of(value_of(decode_handle(own, own_tag())));
    ASSERT_EQ(parts.size(), own.opaque.size());
    const auto is_letter = [&](std::size_t i) { return std::isalpha(static_cast<unsigned char>(own.opaque[i])) != 0; };
    value_of(run(Progress{.lease = own, .percent = 1, .message = {}}));
    expect_no_change([&] {
        for (std::size_t i = 0; i < own.opaque.size(); ++i) {
            for (unsigned bit = 0; bit < 8; ++bit) {
                SCOPED_TRACE("bit " + std::to_string(bit) + " of byte " + std::to_string(i));
                const Handle flipped = with_byte(own, i, static_cast<unsigned char>(own.opaque[i]) ^ 1U << bit);
                const auto answer = run(Progress{.lease = flipped, .percent = 1, .message = {}});
                const auto kind = answer ? std::nullopt : std::optional(answer.error().kind);
                const bool same_id = bit == 5 && is_letter(i);  // ids are read in either case
                switch (parts[i]) {
                    case Part::header:
                        EXPECT_TRUE(kind == ErrorKind::corruption || kind == ErrorKind::handle_from_other_backend);
                        break;
                    case Part::length:
                        EXPECT_EQ(kind, ErrorKind::corruption);
                        break;
                    case Part::execution:
                        EXPECT_TRUE(kind == ErrorKind::corruption || kind == ErrorKind::execution_not_found ||
                                    (same_id && !kind));
                        break;
                    case Part::index:
                        EXPECT_TRUE(kind == ErrorKind::stale_lease || kind == ErrorKind::invalid_input);
                        break;
                    case Part::id:
                        EXPECT_TRUE(kind == ErrorKind::corruption || kind == ErrorKind::stale_lease ||
                                    (same_id && !kind));
                        break;
                    case Part::epoch:
                        EXPECT_EQ(kind, ErrorKind::stale_lease);
                        break;
                    case Part::unfenced:
                        EXPECT_TRUE(!kind || kind == ErrorKind::corruption);
                        break;
                }
            }
        }
    });
}

TEST_P(HostileReferenceTest, ReadsOfIdsThatCannotBeAnswerNothing) {
    EngineOptions options;
    options.run_reconcilers = false;
    const auto api = value_of(open_engine(shared_backend(), std::move(options)));
    const ExecutionId known = create();
    const auto same_as_nothing = [](const auto& read) {
        return read ? !*read : read.error().kind == ErrorKind::invalid_input;
    };
    for (const int number : {256, 32'768, 65'535 - 86, 65'535}) {
        const auto partition = static_cast<std::uint16_t>(number);
        SCOPED_TRACE(partition);
        const ExecutionId id{partition, known.uuid};
        EXPECT_TRUE(same_as_nothing(api->describe_execution(id)));
        EXPECT_TRUE(same_as_nothing(api->read_execution_info(id)));
        EXPECT_TRUE(same_as_nothing(api->read_execution_state(id)));
        EXPECT_TRUE(same_as_nothing(api->get_execution_result(id)));
        EXPECT_TRUE(same_as_nothing(api->get_execution_input(id)));
        EXPECT_TRUE(same_as_nothing(api->get_execution_namespace(id)));
        EXPECT_TRUE(same_as_nothing(api->get_execution_tag(id, "a.b")));
        EXPECT_TRUE(same_as_nothing(api->explain_execution(id)));
        EXPECT_THAT(value_of(api->list_attempts(id)), IsEmpty());
        expect_error(api->read_execution_context(id), ErrorKind::execution_not_found);
        expect_error(api->list_executions({.partition = partition}), ErrorKind::invalid_input, "partition");
        const auto page = api->list_executions({.after = id});
        EXPECT_TRUE(!page || page->executions.empty()) << "nothing comes after the last partition";
    }
    for (const std::string& key : {""s, "plain"s, "A.b"s, "a.\0"s, "a.b\xFF"s, "a." + std::string(3000, 'k')}) {
        expect_error(api->get_execution_tag(known, key), ErrorKind::invalid_input, "tags.");
    }
    const std::vector<std::string> names{"", "lane_id; --", "lane_id\0"s, "\xFF", std::string(3000, 'n')};
    for (const auto& [name, value] : value_of(api->read_exec_core_fields(known, names))) EXPECT_FALSE(value) << name;
    for (const std::string& after : {""s, "\0"s, "\xFF"s, std::string(3000, 'd')}) {
        const LanePage page = value_of(api->list_lanes({.after = after, .limit = 10}));
        EXPECT_EQ(page.lanes.size(), after < "default" ? 1U : 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, HostileReferenceTest, all_stores(), name_of_param);

}  // namespace
}  // namespace flowfabric::test
