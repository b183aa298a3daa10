#include "core/base/handle_codec.hpp"

#include <gtest/gtest.h>

#include <random>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

const HandleContent content{.execution_id = test::execution(1),
                            .attempt_index = 3,
                            .attempt_id = {test::uuid_of(2)},
                            .lease_id = {test::uuid_of(3)},
                            .lease_epoch = 0x0102030405060708,
                            .lease_ttl_ms = 30'000,
                            .lane_id = "default",
                            .worker_instance_id = "wörker-1"};

Handle sample() {
    return encode_handle(BackendTag::memory, HandleKind::fresh, content);
}

ErrorKind refusal_of(const Handle& handle, BackendTag expected = BackendTag::memory) {
    const auto decoded = decode_handle(handle, expected);
    EXPECT_FALSE(decoded);
    return decoded ? ErrorKind::internal : decoded.error().kind;
}

Handle with_byte(std::size_t position, std::uint8_t byte) {
    Handle handle = sample();
    handle.opaque[position] = static_cast<char>(byte);
    return handle;
}

TEST(HandleCodec, RoundTripsForEveryBackendAndKind) {
    for (const auto backend : {BackendTag::postgres, BackendTag::sqlite, BackendTag::memory}) {
        for (const auto kind : {HandleKind::fresh, HandleKind::resumed, HandleKind::suspended, HandleKind::reclaimed}) {
            const Handle handle = encode_handle(backend, kind, content);
            EXPECT_EQ(handle.backend, backend);
            EXPECT_EQ(handle.kind, kind);
            EXPECT_EQ(*decode_handle(handle, backend), content);
        }
    }
}

TEST(HandleCodec, LayoutIsTheWireFormat) {
    const std::string& bytes = sample().opaque;
    const std::string id = content.execution_id.to_string();
    EXPECT_EQ(bytes.substr(0, 3), std::string("\x02\x01\x04", 3));
    EXPECT_EQ(bytes.substr(3, 4), (std::string{static_cast<char>(id.size()), 0, 0, 0}));
    EXPECT_EQ(bytes.substr(7, id.size()), id);
    EXPECT_EQ(bytes.substr(7 + id.size(), 4), std::string("\x03\0\0\0", 4));
    const std::size_t epoch_at = 7 + id.size() + 4 + 2 * (4 + 36);
    EXPECT_EQ(bytes.substr(epoch_at, 8), std::string("\x08\x07\x06\x05\x04\x03\x02\x01", 8));
}

TEST(HandleCodec, EveryTruncationIsCorruption) {
    const Handle whole = sample();
    for (std::size_t length = 0; length < whole.opaque.size(); ++length) {
        Handle cut = whole;
        cut.opaque.resize(length);
        EXPECT_EQ(refusal_of(cut), ErrorKind::corruption) << length;
    }
}

TEST(HandleCodec, TrailingBytesAreCorruption) {
    Handle handle = sample();
    handle.opaque.push_back('\0');
    EXPECT_EQ(refusal_of(handle), ErrorKind::corruption);
}

TEST(HandleCodec, UnknownMagicVersionOrTagIsCorruption) {
    EXPECT_EQ(refusal_of(with_byte(0, 0x03)), ErrorKind::corruption);
    EXPECT_EQ(refusal_of(with_byte(1, 0x02)), ErrorKind::corruption);
    EXPECT_EQ(refusal_of(with_byte(2, 0x00)), ErrorKind::corruption);
    EXPECT_EQ(refusal_of(with_byte(2, 0x05)), ErrorKind::corruption);
}

TEST(HandleCodec, AHandleOfAnotherBackendIsRefusedByEitherTag) {
    EXPECT_EQ(refusal_of(sample(), BackendTag::postgres), ErrorKind::handle_from_other_backend);

    Handle outer = sample();
    outer.backend = BackendTag::sqlite;
    EXPECT_EQ(refusal_of(outer), ErrorKind::handle_from_other_backend);

    EXPECT_EQ(refusal_of(with_byte(2, 0x02)), ErrorKind::handle_from_other_backend);
}

TEST(HandleCodec, TheFirstFormatBelongsToAnotherBackend) {
    EXPECT_EQ(refusal_of(with_byte(0, 0x01)), ErrorKind::handle_from_other_backend);
    EXPECT_EQ(refusal_of({.backend = BackendTag::memory, .opaque = "\x01"}), ErrorKind::handle_from_other_backend);
}

TEST(HandleCodec, BadTextInsideIsCorruption) {
    EXPECT_EQ(refusal_of(with_byte(7, 'x')), ErrorKind::corruption) << "execution id";
    EXPECT_EQ(refusal_of(with_byte(sample().opaque.size() - 1, 0xFF)), ErrorKind::corruption) << "not UTF-8";
    Handle huge = with_byte(3, 0xFF);
    for (std::size_t i = 4; i < 7; ++i) huge.opaque[i] = static_cast<char>(0xFF);
    EXPECT_EQ(refusal_of(huge), ErrorKind::corruption) << "a length beyond the end";
}

TEST(HandleCodec, MutatedHandlesNeverDoMoreThanFailOrDecode) {
    constexpr std::uint64_t seed = 20'240'601;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const std::string whole = sample().opaque;
    for (int round = 0; round < 20'000; ++round) {
        Handle handle = sample();
        const std::size_t edits = 1 + random() % 4;
        for (std::size_t i = 0; i < edits; ++i) {
            const std::size_t at = random() % (handle.opaque.size() + 1);
            switch (random() % 3) {
                case 0:
                    handle.opaque.insert(at, 1, static_cast<char>(random()));
                    break;
                case 1:
                    handle.opaque.erase(at, random() % 8);
                    break;
                default:
                    if (at < handle.opaque.size()) handle.opaque[at] = static_cast<char>(random());
            }
        }
        const auto decoded = decode_handle(handle, BackendTag::memory);
        if (decoded) {
            // What decodes is canonical but for the case of its hexadecimal digits.
            EXPECT_EQ(*decode_handle(encode_handle(BackendTag::memory, handle.kind, *decoded), BackendTag::memory),
                      *decoded);
        } else {
            EXPECT_TRUE(decoded.error().kind == ErrorKind::corruption ||
                        decoded.error().kind == ErrorKind::handle_from_other_backend)
                << to_string(decoded.error());
        }
    }
}

TEST(HandleCodec, RandomBytesNeverDecode) {
    constexpr std::uint64_t seed = 7;
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5'000; ++round) {
        Handle handle{.backend = BackendTag::memory, .opaque = std::string("\x02\x01\x04", 3)};
        const std::size_t length = random() % 300;
        for (std::size_t i = 0; i < length; ++i) handle.opaque.push_back(static_cast<char>(random()));
        EXPECT_EQ(refusal_of(handle), ErrorKind::corruption);
    }
}

}  // namespace
}  // namespace flowfabric
