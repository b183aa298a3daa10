#include "core/base/partition.hpp"

#include <gtest/gtest.h>

#include "unit/core/fixtures.hpp"

namespace flowfabric {
namespace {

const Uuid sample = *Uuid::parse("550e8400-e29b-41d4-a716-446655440000");

TEST(Partition, Crc16IsXmodem) {
    EXPECT_EQ(crc16("123456789"), 0x31C3);
    EXPECT_EQ(crc16(""), 0);
}

TEST(Partition, SoloExecutionsFollowTheirLane) {
    EXPECT_EQ(crc16("default"), 54870);
    EXPECT_EQ(solo_partition("default"), 86);
    EXPECT_EQ(crc16("workers-a"), 11969);
    EXPECT_EQ(solo_partition("workers-a"), 193);
    EXPECT_EQ(solo_execution_id("default", sample).to_string(), "{fp:86}:550e8400-e29b-41d4-a716-446655440000");
}

TEST(Partition, FlowMembersFollowTheirFlow) {
    const std::string_view bytes(reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size());
    EXPECT_EQ(crc16(bytes), 36888);
    EXPECT_EQ(flow_partition(FlowId{sample}), 24);
    EXPECT_EQ(flow_partition(FlowId{}), 0);
    EXPECT_EQ(flow_execution_id(FlowId{sample}, test::uuid_of(1)).partition, 24);
}

TEST(Partition, WorkersAreSpreadByFnv1a) {
    EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325ULL);
    EXPECT_EQ(fnv1a64("worker-a"), 0x2490eec5902763fdULL);
    EXPECT_EQ(worker_partition("worker-a"), 253);
    EXPECT_EQ(worker_partition("worker-b"), 228);
}

TEST(Partition, IdempotencyKeysHashNamespaceZeroByteKey) {
    const std::string hashed("team\0order-1", 12);
    EXPECT_EQ(idempotency_partition("team", "order-1"), crc16(hashed) % 256);
}

TEST(Partition, CountsAreTheSpecifiedOnes) {
    EXPECT_EQ(flow_partitions, 256);
    EXPECT_EQ(budget_partitions, 32);
    EXPECT_EQ(quota_partitions, 32);
}

}  // namespace
}  // namespace flowfabric
