#include "cli/store_location.hpp"

#include <gmock/gmock.h>

#include "runtime/open_store.hpp"

namespace flowfabric::cli::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StoreLocation, APasswordIsNeverShownHoweverTheUrlIsSpelled) {
    for (const char* url :
         {"postgres://user:secret@host/db", "postgres://user:se/cret@host/db", "postgres://user:se?cret@host/db",
          "postgres://user:s@cret@host/db", "postgres:/user:secret@host/db", "postgre://user:secret@host/db",
          "postgres://host/db?user=u&password=secret", "postgres://host/db?sslpassword=secret&password=cret"}) {
        EXPECT_THAT(store_for_display(url), Not(HasSubstr("cret"))) << url;
    }
    EXPECT_EQ(store_for_display("postgres://user:secret@host:5432/db"), "postgres://user:***@host:5432/db");
    EXPECT_EQ(store_for_display("postgres://host:5432/db"), "postgres://host:5432/db");
    EXPECT_EQ(store_for_display("sqlite:some/where.db"), "sqlite:some/where.db");
}

TEST(StoreLocation, AFlagIsWarnedAboutIfItHoldsAPassword) {
    EXPECT_TRUE(store_flag_warning("postgres://user:secret@host/db"));
    EXPECT_TRUE(store_flag_warning("postgresql://host/db?user=u&password=secret"));
    EXPECT_FALSE(store_flag_warning("postgres://user@host:5432/db"));
    EXPECT_FALSE(store_flag_warning("sqlite:/tmp/at@home.db"));
}

TEST(StoreLocation, AMalformedUrlIsRefusedWithoutItsPassword) {
    for (const char* url : {"postgres://user:sec/ret@host/db", "postgres://user:s@cret@host/db",
                            "postgres://user:secret@[host/db", "postgres://user:secret@host:port/db"}) {
        const auto backend = open_store(url);
        const std::string detail = backend ? (*backend)->check().error().detail : backend.error().detail;
        EXPECT_THAT(detail, Not(HasSubstr("ret"))) << url;
    }
    EXPECT_TRUE(open_store("postgres://localhost/db?user=me@example"));
}

}  // namespace
}  // namespace flowfabric::cli::test
