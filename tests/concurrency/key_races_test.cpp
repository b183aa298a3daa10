#include "concurrency/engine_test.hpp"

namespace flowfabric::test {
namespace {

class KeyRaces : public EngineTest {};
INSTANTIATE_TEST_SUITE_P(Stores, KeyRaces, all_stores(), name_of_param);

TEST_P(KeyRaces, NoPlainSecretFollowsASealedOne) {
    Engine& plain = open({.run_reconcilers = false});
    Engine& sealing = open({.run_reconcilers = false, .master_key_hex = std::string(64, '7')});
    value_of(plain.seed_waitpoint_hmac_secret({"k", std::string(64, 'a')}));
    on_threads(16, [&](int thread) {
        const bool seals = thread % 2 == 0;
        const auto rotated = (seals ? sealing : plain)
                                 .rotate_waitpoint_hmac_secret(
                                     {.new_kid = "k" + std::to_string(thread), .new_secret_hex = std::string(64, 'b')});
        if (seals || rotated) {
            value_of(rotated);
        } else {
            expect_error(rotated, ErrorKind::unavailable, "FF_MASTER_KEY");
        }
    });
    for (const auto& key : value_of(sealing.list_signing_keys())) {
        if (key.state == SigningKeyView::State::active) {
            EXPECT_TRUE(key.sealed) << key.kid;
        }
    }
}

}  // namespace
}  // namespace flowfabric::test
