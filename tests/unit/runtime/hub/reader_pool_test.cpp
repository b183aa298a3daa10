#include "runtime/hub/reader_pool.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "store/memory/backend.hpp"
#include "support/forwarding_backend.hpp"

namespace flowfabric {
namespace {

using namespace std::chrono_literals;

// Opens no reader for as long as it is out of order.
class FaultyBackend : public test::ForwardingBackend {
  public:
    FaultyBackend() : ForwardingBackend(memory::make_backend()) {}

    bool out_of_order = false;

    StoreResult<std::unique_ptr<StoreReader>> open_reader(StoreDeadline until) override {
        if (out_of_order) throw std::runtime_error("out of order");
        return ForwardingBackend::open_reader(until);
    }
};

class ReaderPoolTest : public ::testing::Test {
  protected:
    Result<std::int64_t> read() {
        return pool_.run([](StoreReader& reader) { return reader.now(); });
    }
    void read_and_throw() {
        EXPECT_THROW(
            pool_.run([](StoreReader&) -> StoreResult<std::int64_t> { throw std::runtime_error("a bad read"); }),
            std::runtime_error);
    }

    std::shared_ptr<FaultyBackend> backend_ = std::make_shared<FaultyBackend>();
    ReaderPool pool_{backend_, 2s};
};

TEST_F(ReaderPoolTest, AReadThatThrowsLeavesItsPlaceToOthers) {
    for (int i = 0; i < 20; ++i) read_and_throw();
    EXPECT_TRUE(read());
}

TEST_F(ReaderPoolTest, AReaderThatCannotBeOpenedLeavesItsPlaceToOthers) {
    backend_->out_of_order = true;
    for (int i = 0; i < 20; ++i) EXPECT_THROW(read(), std::runtime_error);
    backend_->out_of_order = false;
    EXPECT_TRUE(read());
}

}  // namespace
}  // namespace flowfabric
