#include "remote/sse_parser.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace flowfabric::remote {
namespace {

constexpr std::string_view stream =
    ": hello\n\nevent: completion\nid: 02ff\ndata: {\"a\":1}\n\n: silence\n\nevent: lease\r\nid:03\r\ndata: x\ndata: "
    "y\n\n";

std::vector<SseMessage> messages_in(std::string_view text, std::size_t piece) {
    SseParser parser;
    std::vector<SseMessage> messages;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        parser.put(text.substr(at, piece));
        while (auto message = parser.next()) messages.push_back(*std::move(message));
    }
    return messages;
}

TEST(SseParser, GivesWholeMessagesWhateverThePieces) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
        const auto messages = messages_in(stream, piece);
        ASSERT_EQ(messages.size(), 2U) << piece;
        EXPECT_EQ(messages[0].event, "completion");
        EXPECT_EQ(messages[0].id, "02ff");
        EXPECT_EQ(messages[0].data, R"({"a":1})");
        EXPECT_EQ(messages[1].event, "lease");
        EXPECT_EQ(messages[1].id, "03");
        EXPECT_EQ(messages[1].data, "x\ny");
    }
}

TEST(SseParser, GivesAPlaceThatComesWithoutData) {
    const auto messages = messages_in("id: 02aa\n\n:\nid: 02bb\n\n", 3);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].id, "02aa");
    EXPECT_EQ(messages[1].id, "02bb");
    EXPECT_EQ(messages[1].data, "");
}

TEST(SseParser, KeepsAMessageThatHasNotEnded) {
    EXPECT_TRUE(messages_in("event: completion\ndata: {}\n", 5).empty());
}

}  // namespace
}  // namespace flowfabric::remote
