#include "core/execution/state_vector.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

// The table of legal vectors, word for word as the specification has it, against every combination there is.
namespace flowfabric {
namespace {

using Words = std::vector<std::string_view>;

struct LegalRow {
    std::string_view code;
    Words lifecycle, ownership, eligibility, reason, outcome, attempt;
    std::string_view public_state;  // `*`: resumable when interrupted, else waiting; `=`: by the outcome
};

const Words claimable_attempts{"pending_first_attempt", "pending_retry_attempt", "pending_replay_attempt",
                               "attempt_interrupted"};
const Words pauses{"paused_by_policy", "paused_by_operator", "paused_by_flow_cancel"};

const std::vector<LegalRow> legal_rows{
    {"W", {"runnable"}, {"unowned"}, {"eligible_now"}, {"waiting_for_worker"}, {"none"}, claimable_attempts, "*"},
    {"DL",
     {"runnable"},
     {"unowned"},
     {"not_eligible_until_time"},
     {"waiting_for_delay", "waiting_for_retry_backoff", "waiting_for_resume_delay"},
     {"none"},
     claimable_attempts,
     "delayed"},
    {"BD",
     {"runnable"},
     {"unowned"},
     {"blocked_by_dependencies"},
     {"waiting_for_children"},
     {"none"},
     claimable_attempts,
     "waiting_children"},
    {"BB",
     {"runnable"},
     {"unowned"},
     {"blocked_by_budget"},
     {"waiting_for_budget"},
     {"none"},
     claimable_attempts,
     "rate_limited"},
    {"BQ",
     {"runnable"},
     {"unowned"},
     {"blocked_by_quota"},
     {"waiting_for_quota"},
     {"none"},
     claimable_attempts,
     "rate_limited"},
    {"BR",
     {"runnable"},
     {"unowned"},
     {"blocked_by_route"},
     {"waiting_for_capable_worker", "waiting_for_locality_match"},
     {"none"},
     claimable_attempts,
     "waiting"},
    {"BL/BO",
     {"runnable"},
     {"unowned"},
     {"blocked_by_lane_state", "blocked_by_operator"},
     pauses,
     {"none"},
     claimable_attempts,
     "waiting"},
    {"A", {"active"}, {"leased"}, {"not_applicable"}, {"none"}, {"none"}, {"running_attempt"}, "active"},
    {"X/R",
     {"active"},
     {"lease_expired_reclaimable", "lease_revoked"},
     {"not_applicable"},
     {"waiting_for_worker"},
     {"none"},
     {"attempt_interrupted"},
     "active"},
    {"S",
     {"suspended"},
     {"unowned"},
     {"not_applicable"},
     {"waiting_for_signal", "waiting_for_approval", "waiting_for_callback", "waiting_for_tool_result",
      "paused_by_operator", "paused_by_policy", "paused_by_flow_cancel", "waiting_for_budget"},
     {"none"},
     {"attempt_interrupted"},
     "suspended"},
    {"T",
     {"terminal"},
     {"unowned"},
     {"not_applicable"},
     {"none"},
     {"success", "failed", "cancelled", "expired", "skipped"},
     {"attempt_terminal", "none"},
     "="},
};

using Key = std::tuple<LifecyclePhase, OwnershipState, EligibilityState, BlockingReason, TerminalOutcome, AttemptState,
                       PublicState>;

Key key_of(const StateVector& v) {
    return {v.lifecycle_phase,  v.ownership_state, v.eligibility_state, v.blocking_reason,
            v.terminal_outcome, v.attempt_state,   v.public_state};
}

template <class E>
E value_of(std::string_view word) {
    const auto value = parse_enum<E>(word);
    EXPECT_TRUE(value) << word << " is not a literal of the specification";
    return value.value_or(E{});
}

PublicState public_state_of(const LegalRow& row, std::string_view outcome, std::string_view attempt) {
    std::string_view word = row.public_state;
    if (word == "*") word = attempt == "attempt_interrupted" ? "resumable" : "waiting";
    if (word == "=") word = outcome == "success" ? "completed" : outcome;
    return value_of<PublicState>(word);
}

std::set<Key> legal_keys() {
    std::set<Key> keys;
    for (const LegalRow& row : legal_rows)
        for (const auto a : row.lifecycle)
            for (const auto b : row.ownership)
                for (const auto c : row.eligibility)
                    for (const auto d : row.reason)
                        for (const auto e : row.outcome)
                            for (const auto f : row.attempt)
                                keys.insert({value_of<LifecyclePhase>(a), value_of<OwnershipState>(b),
                                             value_of<EligibilityState>(c), value_of<BlockingReason>(d),
                                             value_of<TerminalOutcome>(e), value_of<AttemptState>(f),
                                             public_state_of(row, e, f)});
    return keys;
}

std::string text_of(const StateVector& v) {
    std::string text;
    for (const auto word : {to_string(v.lifecycle_phase), to_string(v.ownership_state), to_string(v.eligibility_state),
                            to_string(v.blocking_reason), to_string(v.terminal_outcome), to_string(v.attempt_state),
                            to_string(v.public_state)}) {
        text.append(word).append(" ");
    }
    return text;
}

template <class E>
std::vector<E> all_of() {
    std::vector<E> values;
    for (std::size_t i = 0; i < enum_names<E>.size(); ++i) values.push_back(static_cast<E>(i));
    return values;
}

template <class Visit>
void for_every_combination(Visit visit) {
    for (const auto a : all_of<LifecyclePhase>())
        for (const auto b : all_of<OwnershipState>())
            for (const auto c : all_of<EligibilityState>())
                for (const auto d : all_of<BlockingReason>())
                    for (const auto e : all_of<TerminalOutcome>())
                        for (const auto f : all_of<AttemptState>()) visit(StateVector{a, b, c, d, e, f, {}});
}

TEST(StateVector, ExactlyTheVectorsOfTheTableAreLegal) {
    const std::set<Key> legal = legal_keys();
    std::size_t accepted = 0;
    std::size_t wrong = 0;
    for_every_combination([&](StateVector vector) {
        for (const auto g : all_of<PublicState>()) {
            vector.public_state = g;
            const bool expected = legal.contains(key_of(vector));
            accepted += expected ? 1 : 0;
            if (is_legal(vector) == expected) continue;
            if (++wrong <= 10) ADD_FAILURE() << (expected ? "refused: " : "accepted: ") << text_of(vector);
        }
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(accepted, legal.size());
}

TEST(StateVector, PublicStateIsDerivedAsSpecified) {
    const std::set<Key> legal = legal_keys();
    for_every_combination([&](StateVector vector) {
        const PublicState derived = derive_public_state(vector);
        switch (vector.lifecycle_phase) {
            case LifecyclePhase::suspended:
                ASSERT_EQ(derived, PublicState::suspended);
                break;
            case LifecyclePhase::active:
                ASSERT_EQ(derived, PublicState::active);
                break;
            default:
                break;
        }
    });
    for (const Key& key : legal) {
        const auto& [a, b, c, d, e, f, g] = key;
        EXPECT_EQ(derive_public_state({a, b, c, d, e, f, {}}), g);
    }
}

TEST(StateVector, ATerminalVectorWithoutOutcomeShowsFailedAndIsNotLegal) {
    StateVector vector = terminal_vector(TerminalOutcome::success, true);
    vector.terminal_outcome = TerminalOutcome::none;
    vector.public_state = derive_public_state(vector);
    EXPECT_EQ(vector.public_state, PublicState::failed);
    EXPECT_FALSE(is_legal(vector));
}

TEST(StateVector, NamedVectorsAreLegal) {
    for (const auto attempt : {AttemptState::pending_first_attempt, AttemptState::pending_retry_attempt,
                               AttemptState::pending_replay_attempt, AttemptState::attempt_interrupted}) {
        EXPECT_TRUE(is_legal(waiting_vector(attempt)));
        EXPECT_TRUE(is_legal(dependency_vector(attempt)));
        EXPECT_TRUE(is_legal(delayed_vector(BlockingReason::waiting_for_retry_backoff, attempt)));
    }
    EXPECT_TRUE(is_legal(active_vector()));
    EXPECT_TRUE(is_legal(lease_expired_vector()));
    for (const auto outcome : {TerminalOutcome::success, TerminalOutcome::failed, TerminalOutcome::cancelled,
                               TerminalOutcome::expired, TerminalOutcome::skipped}) {
        EXPECT_TRUE(is_legal(terminal_vector(outcome, true)));
        EXPECT_EQ(terminal_vector(outcome, true).attempt_state, AttemptState::attempt_terminal);
        EXPECT_EQ(terminal_vector(outcome, false).attempt_state, AttemptState::none);
    }
}

TEST(StateVector, EveryLiteralParsesBackToItself) {
    for (const auto reason : all_of<BlockingReason>()) EXPECT_EQ(parse_enum<BlockingReason>(to_string(reason)), reason);
    for (const auto state : all_of<PublicState>()) EXPECT_EQ(parse_enum<PublicState>(to_string(state)), state);
    EXPECT_EQ(parse_enum<LifecyclePhase>("submitted"), std::nullopt);
    EXPECT_EQ(parse_enum<PublicState>(""), std::nullopt);
    EXPECT_EQ(parse_enum<PublicState>("Waiting"), std::nullopt);
}

}  // namespace
}  // namespace flowfabric
