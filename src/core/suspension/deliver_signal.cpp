#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "core/command/contents.hpp"
#include "core/command/on_execution.hpp"
#include "core/execution/fence.hpp"
#include "core/execution/retry.hpp"
#include "core/execution/stored_policy.hpp"
#include "core/execution/transition.hpp"
#include "core/signing/keyring.hpp"
#include "core/suspension/suspension.hpp"
#include "core/suspension/waitpoint.hpp"
#include "flowfabric/suspension.hpp"

namespace flowfabric {
namespace {

constexpr std::uint32_t default_max_signals = 10'000;

// What can be wrong with a signal, of any sender.
// `key_field` is what its sender gave the key by.
std::optional<EngineError> check_signal(const DeliverSignal& signal, const char* key_field) {
    Checks check;
    if (signal.payload) check(check_payload("payload", *signal.payload, max_signal_payload_bytes));
    check.require(!signal.signal_name.empty(), "signal_name", "must not be empty");
    check.require(!is_reserved_signal_name(signal.signal_name), "signal_name", "begins with __, which is reserved");
    check(check_line("signal_name", signal.signal_name, max_label_bytes));
    check(check_text("signal_category", signal.signal_category, max_label_bytes));
    check(check_text("source_type", signal.source_type, max_label_bytes));
    check(check_text("source_identity", signal.source_identity, max_label_bytes));
    check(check_text("payload_encoding", signal.payload_encoding, max_label_bytes));
    if (signal.correlation_id) check(check_text("correlation_id", *signal.correlation_id, max_label_bytes));
    check(check_text(key_field, signal.idempotency_key, max_idempotency_key_bytes));
    return check.fault();
}

Result<std::uint32_t> signal_limit(const DeliverSignal& signal, const ExecutionRow& row) {
    if (signal.max_signals_per_execution) return *signal.max_signals_per_execution;
    const auto policy = stored_policy(row);
    if (!policy) return policy.error();
    return *policy ? (*policy)->max_signals_per_execution.value_or(default_max_signals) : default_max_signals;
}

// The next that the execution accepts.
SignalRow row_of(const DeliverSignal& signal, const WaitpointRow& waitpoint, Transition& transition) {
    return {.key = {signal.execution_id, transition.next_signal()},
            .signal_id = *signal.signal_id,
            .waitpoint_id = signal.waitpoint_id,
            .waitpoint_key = waitpoint.waitpoint_key,
            .signal_name = signal.signal_name,
            .signal_category = signal.signal_category,
            .source_type = signal.source_type,
            .source_identity = signal.source_identity,
            .correlation_id = signal.correlation_id,
            .idempotency_key = signal.idempotency_key.empty() ? std::nullopt : std::optional(signal.idempotency_key),
            .payload_encoding = signal.payload_encoding,
            .target_scope = signal.target_scope,
            .created_at_ms = signal.created_at_ms,
            .accepted_at_ms = transition.now(),
            .suspension_id = waitpoint.suspension_id,
            .replay_count = transition.row().replay_count};
}

// What an active waitpoint's signals are held against; nothing for a pending one.
struct Target {
    std::optional<ResumeCondition> condition;
    std::uint64_t resume_delay_ms = 0;
};

Result<Target> target_of(const WaitpointRow& waitpoint, const WorkingSet& set, const ExecutionRow& row) {
    if (waitpoint.state == WaitpointState::pending) return Target{};
    const SuspensionRow* suspension = open_suspension(set, row);
    if (suspension == nullptr) return corruption(row.id.to_string() + ": an active waitpoint without a suspension");
    auto condition = condition_of(*suspension);
    if (!condition) return condition.error();
    return Target{std::move(*condition), resume_policy_of(suspension->resume_policy).resume_delay_ms.value_or(0)};
}

struct Reception {
    SignalEffect effect = SignalEffect::buffered_for_pending_waitpoint;
    std::vector<std::int32_t> satisfiers;  // seqs
};

// What the signal that was recorded last does.
Reception received(const Target& target, const WorkingSet& set, const ExecutionRow& row) {
    if (!target.condition) return {};
    const CountingSignals signals = counting_signals(set, row);
    const Evaluation evaluation = evaluate(*target.condition, signals.facts);
    return {effect_of_last(*target.condition, signals.facts, evaluation), signals.satisfiers(evaluation)};
}

// A signal of any sender; the kinds of senders differ in what admits them to the waitpoint.
class SignalBody : public OnExecution {
  public:
    CommandTraits traits() const override { return {.name = "deliver_signal", .releases_work = true}; }

    void name_rows(NamedRows& rows) const override {
        SideRowsWanted& wanted = rows.side;
        wanted.of<SigningKeyRow>().all = true;
        wanted.of<WaitpointRow>().keys.push_back(waitpoint_key());
        if (is_remembered()) wanted.of<SignalDedupRow>().keys.push_back({waitpoint_key(), signal_.idempotency_key});
        // Its execution says so itself, but only once it is locked.
        wanted.of<SuspensionRow>().owners.push_back(execution_id());
        wanted.of<SuspendDedupRow>().owners.push_back(execution_id());
        wanted.of<WaitpointRow>().owners.push_back(execution_id());
        wanted.of<SignalRow>().owners.push_back(execution_id());
    }

    Result<Answer> decide_on(ExecutionEntry& entry, DecisionContext& context) const override {
        const WaitpointRow* waitpoint = context.set.side.of<WaitpointRow>().find(waitpoint_key());
        if (waitpoint != nullptr && waitpoint->owner() != execution_id()) waitpoint = nullptr;
        if (auto refused = refuse_sender(entry.row, waitpoint, context)) return *refused;
        Transition transition(entry, context.set);
        return deliver(*waitpoint, transition, context.set);
    }

  protected:
    // The signal has its id.
    explicit SignalBody(DeliverSignal signal) : OnExecution(signal.execution_id), signal_(std::move(signal)) {}

    const DeliverSignal& signal() const { return signal_; }
    std::size_t signal_bytes() const {
        return contents_of(signal_.waitpoint_token, signal_.signal_name, signal_.signal_category, signal_.source_type,
                           signal_.source_identity, signal_.payload, signal_.payload_encoding, signal_.correlation_id,
                           signal_.idempotency_key);
    }
    // No waitpoint: the execution has none of this id, which is a reason to refuse.
    virtual std::optional<EngineError> refuse_sender(const ExecutionRow& row, const WaitpointRow* waitpoint,
                                                     DecisionContext& context) const = 0;

  private:
    WaitpointKey waitpoint_key() const { return {execution_id().partition, signal_.waitpoint_id}; }
    bool is_remembered() const { return !signal_.idempotency_key.empty() && signal_.dedup_ttl_ms > 0; }

    // By value: its row changes on the way.
    Result<Answer> deliver(WaitpointRow waitpoint, Transition& transition, WorkingSet& set) const {
        const ExecutionRow& row = transition.row();
        const std::int64_t now = transition.now();
        if (is_remembered()) {
            const auto* known = set.side.of<SignalDedupRow>().find({waitpoint.key, signal_.idempotency_key});
            if (known != nullptr && known->expires_at_ms > now) {
                return Answer::of<SignalOutcome>(DuplicateSignal{known->signal_id});
            }
        }
        if (row.vector.lifecycle_phase == LifecyclePhase::terminal) {
            return refused_in_state(ErrorKind::target_not_signalable, row);
        }
        if (waitpoint.state == WaitpointState::pending && has_lapsed(waitpoint, now)) {
            close_waitpoint(set, std::move(waitpoint), WaitpointCloseReason::never_committed, now);
            transition.count_open_waitpoints();
            return refusal(ErrorKind::waitpoint_closed, signal_.waitpoint_id.to_string());
        }
        if (waitpoint.state == WaitpointState::closed) {
            return refusal(ErrorKind::waitpoint_closed, signal_.waitpoint_id.to_string());
        }
        const auto limit = signal_limit(signal_, row);
        if (!limit) return limit.error();
        if (*limit > 0 && static_cast<std::uint32_t>(row.signal_count) >= *limit) {
            return refusal(ErrorKind::signal_limit_exceeded, row.id.to_string() + " has had " + std::to_string(*limit));
        }
        const auto target = target_of(waitpoint, set, row);
        if (!target) return target.error();
        return accept(waitpoint, *target, transition, set);
    }

    Answer accept(const WaitpointRow& waitpoint, const Target& target, Transition& transition, WorkingSet& set) const {
        const std::int64_t now = transition.now();
        SignalRow signal = row_of(signal_, waitpoint, transition);
        set.side.of<SignalRow>().put(signal);
        const Reception reception = received(target, set, transition.row());
        signal.observed_effect = reception.effect;
        signal.matched = is_match(reception.effect);
        set.side.of<SignalRow>().put(signal);
        if (signal_.payload) set.side.of<SignalPayloadRow>().put({.key = signal.key, .payload = {*signal_.payload}});
        if (is_remembered()) {
            set.side.of<SignalDedupRow>().put({.key = {waitpoint.key, signal_.idempotency_key},
                                               .execution_uuid = execution_id().uuid,
                                               .signal_id = signal.signal_id,
                                               .expires_at_ms = saturating_add(now, signal_.dedup_ttl_ms)});
        }
        count_signal(set, waitpoint, signal.observed_effect, now);
        transition.tell_signal(signal);
        if (signal.observed_effect == SignalEffect::resume_condition_satisfied) {
            resume(transition, set,
                   {.reason = WaitpointCloseReason::resumed,
                    .closer = signal.signal_id,
                    .satisfiers = reception.satisfiers,
                    .satisfied = true},
                   signal_.resume_delay_ms.value_or(target.resume_delay_ms));
        }
        return Answer::of<SignalOutcome>(SignalAccepted{signal.signal_id, signal.observed_effect});
    }

    DeliverSignal signal_;
};

// By a sender that shows the waitpoint's token.
class DeliverSignalBody final : public SignalBody {
  public:
    DeliverSignalBody(DeliverSignal signal, std::optional<EngineError> fault)
        : SignalBody(std::move(signal)), fault_(std::move(fault)) {}

    std::size_t bytes() const override { return sizeof(*this) + signal_bytes(); }
    // There is no token yet of an execution in the inbox: a forged one is refused without a look.
    bool looks_in_inbox() const override { return false; }

  protected:
    std::optional<EngineError> refuse_sender(const ExecutionRow&, const WaitpointRow* waitpoint,
                                             DecisionContext& context) const override {
        if (auto refused = refuse_token(waitpoint, context)) return refused;
        return fault_;
    }
    // A sender that shows a token is not told what exists.
    Result<Answer> decide_missing() const override {
        // The time that a refusal takes.
        static_cast<void>(token_is_valid({}, nullptr, execution_id(), signal().waitpoint_id));
        return refusal(ErrorKind::invalid_token, signal().waitpoint_token.empty() ? "missing_token" : "invalid_token");
    }

  private:
    // A sender that is refused here learns nothing but that: every way takes one MAC, and what exists is not told apart
    // from what does not, unless the token was good once.
    std::optional<EngineError> refuse_token(const WaitpointRow* waitpoint, DecisionContext& context) const {
        const std::string& token = signal().waitpoint_token;
        const auto keyring = Keyring::open(context.set.side.of<SigningKeyRow>(), context.settings, context.set.now_ms);
        if (!keyring) return keyring.error();
        const auto presented = parse_token(token);
        const TokenParts parts = presented.value_or(TokenParts{});
        const bool may_be = presented && waitpoint != nullptr;
        const SigningKey* live = may_be ? keyring->find(parts.kid) : nullptr;
        const SigningKey* lapsed = may_be && live == nullptr ? keyring->find_lapsed(parts.kid) : nullptr;
        const bool valid =
            token_is_valid(parts, live != nullptr ? live : lapsed, execution_id(), signal().waitpoint_id);
        const bool minted = valid && waitpoint->token_kid == parts.kid &&
                            equal_in_constant_time(waitpoint->token_fingerprint, fingerprint_of(token));
        if (minted && live != nullptr) return std::nullopt;
        if (token.empty()) return refusal(ErrorKind::invalid_token, "missing_token");
        return refusal(ErrorKind::invalid_token, minted ? "token_expired" : "invalid_token");
    }

    std::optional<EngineError> fault_;  // what is wrong with it, told only to a sender that the token admits
};

// By an operator, without a token.
class DeliverApprovalSignalBody final : public SignalBody {
  public:
    DeliverApprovalSignalBody(DeliverSignal signal, std::string lane_id)
        : SignalBody(std::move(signal)), lane_id_(std::move(lane_id)) {}

    std::size_t bytes() const override { return sizeof(*this) + signal_bytes() + contents_of(lane_id_); }

  protected:
    std::optional<EngineError> refuse_sender(const ExecutionRow& row, const WaitpointRow* waitpoint,
                                             DecisionContext&) const override {
        if (lane_id_ != row.lane_id) {
            return invalid_input("lane_id", "lane_mismatch: the execution is on " + row.lane_id);
        }
        if (waitpoint == nullptr) return refusal(ErrorKind::no_such_waitpoint, signal().waitpoint_id.to_string());
        return std::nullopt;
    }

  private:
    std::string lane_id_;
};

}  // namespace

template <>
Result<Command> admit(DeliverSignal command, const Settings&, const IdSource& ids) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    if (!command.signal_id) command.signal_id = SignalId{ids.at(0)};
    auto fault = check_signal(command, "idempotency_key");
    // A key that no store can hold names nothing.
    if (fault) command.idempotency_key.clear();
    return Command::make<DeliverSignalBody>(std::move(command), std::move(fault));
}

template <>
Result<Command> admit(DeliverApprovalSignal command, const Settings&, const IdSource& ids) {
    if (auto checked = check_partition(command.execution_id); !checked) return checked.error();
    DeliverSignal signal;
    signal.execution_id = command.execution_id;
    signal.waitpoint_id = command.waitpoint_id;
    signal.signal_id = SignalId{ids.at(0)};
    signal.signal_name = std::move(command.signal_name);
    signal.signal_category = "approval";
    signal.source_type = "operator";
    signal.payload_encoding = "json";
    signal.idempotency_key = "approval:" + signal.signal_name + ":" + command.idempotency_suffix;
    signal.target_scope = SignalScope::execution;
    signal.dedup_ttl_ms = command.signal_dedup_ttl_ms;
    signal.resume_delay_ms = 0;
    signal.max_signals_per_execution = command.max_signals_per_execution;
    if (auto fault = check_signal(signal, "idempotency_suffix")) return *fault;
    return Command::make<DeliverApprovalSignalBody>(std::move(signal), std::move(command.lane_id));
}

}  // namespace flowfabric
