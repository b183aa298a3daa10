#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/base64.hpp"
#include "core/base/handle_codec.hpp"
#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

TEST(HandleText, RoundTripsForEveryBackendAndKind) {
    const HandleContent content{.execution_id = test::execution(1), .lane_id = "default", .worker_instance_id = "w"};
    for (const auto backend : {BackendTag::valkey, BackendTag::postgres, BackendTag::sqlite, BackendTag::memory}) {
        for (const auto kind : {HandleKind::fresh, HandleKind::resumed, HandleKind::suspended, HandleKind::reclaimed}) {
            const Handle handle = encode_handle(backend, kind, content);
            const std::string text = handle.to_string();
            EXPECT_EQ(text.find_first_of("+/= \n"), std::string::npos) << text;
            const auto parsed = Handle::parse(text);
            ASSERT_TRUE(parsed) << to_string(parsed.error());
            EXPECT_EQ(*parsed, handle);
        }
    }
}

TEST(HandleText, BytesOfAnyKindAndNumberRoundTrip) {
    for (std::size_t size = 0; size < 70; ++size) {
        Handle handle{BackendTag::sqlite, HandleKind::resumed, std::string(size, '\xFE')};
        if (size > 0) handle.opaque.front() = '\0';
        EXPECT_EQ(*Handle::parse(handle.to_string()), handle) << size;
    }
}

TEST(HandleText, HostileTextsAreRefused) {
    const std::string sound = Handle{BackendTag::memory, HandleKind::fresh, "bytes"}.to_string();
    ASSERT_TRUE(Handle::parse(sound));
    struct Case {
        std::string text, reason;
    };
    for (const auto& [text, reason] : std::vector<Case>{
             {"", "too short"},
             {to_base64url("\x04"), "too short"},
             {to_base64url("\0\0bytes"s), "unknown tag"},
             {to_base64url("\x05\0bytes"s), "unknown tag"},
             {to_base64url("\xFF\0bytes"s), "unknown tag"},
             {to_base64url("\x04\x04"s + "bytes"), "unknown tag"},
             {to_base64url("\x04\xFF"s + "bytes"), "unknown tag"},
             {sound + "=", "base64url"},
             {sound + " ", "base64url"},
             {" " + sound, "base64url"},
             {sound + "\0"s, "base64url"},
             {"\xC3\xA4" + sound, "base64url"},
             {"{fp:7}:550e8400-e29b-41d4-a716-446655440000", "base64url"},
         }) {
        SCOPED_TRACE(text);
        const auto parsed = Handle::parse(text);
        ASSERT_FALSE(parsed);
        EXPECT_EQ(parsed.error().kind, ErrorKind::invalid_input);
        EXPECT_THAT(parsed.error().detail, HasSubstr(reason));
    }
}

TEST(HandleText, NoPrefixOfAHandleIsTakenForTheWhole) {
    const HandleContent content{.execution_id = test::execution(1), .lane_id = "default", .worker_instance_id = "w"};
    const std::string whole = encode_handle(BackendTag::memory, HandleKind::fresh, content).to_string();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto parsed = Handle::parse(std::string_view(whole).substr(0, size));
        EXPECT_FALSE(parsed && decode_handle(*parsed, BackendTag::memory)) << size;
    }
}

}  // namespace
}  // namespace flowfabric
