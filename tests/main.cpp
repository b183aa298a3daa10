#include <gmock/gmock.h>

#include "support/watchdog.hpp"

int main(int count, char** arguments) {
    testing::InitGoogleMock(&count, arguments);
    testing::UnitTest::GetInstance()->listeners().Append(new flowfabric::test::Watchdog);
    return RUN_ALL_TESTS();
}
