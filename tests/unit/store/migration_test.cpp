#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "core/remembered_suspend.hpp"
#include "core/vector.hpp"
#include "store/postgres/backend.hpp"
#include "store/postgres/migrations.hpp"
#include "store/sqlite/backend.hpp"
#include "store/sqlite/database.hpp"
#include "store/sqlite/migrations.hpp"
#include "support/stores.hpp"
#include "unit/core/fixtures.hpp"
#include "unit/store/postgres/raw_schema.hpp"

// How a store's schema comes to be, and which schemas an engine lives with; the same on both databases.
namespace flowfabric::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class SqliteFile {
  public:
    static constexpr StoreKind kind = StoreKind::sqlite;

    SqliteFile() {
        std::string pattern = (std::filesystem::temp_directory_path() / "ff-unit.XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot create " + pattern);
        directory_ = pattern;
    }
    ~SqliteFile() { std::filesystem::remove_all(directory_); }
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    std::shared_ptr<Backend> backend() const { return sqlite::make_backend({.path = path()}); }
    void execute(const std::string& sql) const { sqlite::Database(path(), sqlite::OpenMode::create).execute(sql); }
    static std::span<const Migration> migrations() { return sqlite::migrations(); }
    static std::string literal(const Uuid& id) {
        std::string digits = id.to_string();
        std::erase(digits, '-');
        return "X'" + digits + "'";
    }

  private:
    std::string path() const { return (directory_ / "store.db").string(); }
    std::filesystem::path directory_;
};

class PostgresSchema {
  public:
    static constexpr StoreKind kind = StoreKind::postgres;

    std::shared_ptr<Backend> backend() const { return postgres::make_backend({.url = schema_.url()}); }
    void execute(const std::string& sql) { schema_.query(sql); }
    static std::span<const Migration> migrations() { return postgres::migrations(); }
    static std::string literal(const Uuid& id) { return "'" + id.to_string() + "'"; }

  private:
    RawSchema schema_;
};

template <class Place>
class Migrations : public testing::Test {
  protected:
    void SetUp() override {
        const Availability store = availability_of(Place::kind);
        if (!store.available) {
            if (store.required) FAIL() << store.message;
            GTEST_SKIP() << store.message;
        }
        place = std::make_unique<Place>();
    }

    void migrate() {
        const auto migrated = place->backend()->migrate();
        ASSERT_TRUE(migrated) << migrated.error().detail;
    }

    // The schema of an engine that does not know the step of this name.
    void migrate_up_to(std::string_view name) {
        std::string schema;
        std::string ledger =
            "CREATE TABLE IF NOT EXISTS ff_migration_annotation (version integer PRIMARY KEY, name text NOT NULL, "
            "applied_at_ms bigint NOT NULL, backward_compatible boolean NOT NULL);";
        for (const Migration& step : Place::migrations()) {
            if (step.name == name) break;
            schema.append(step.sql).append("\n");
            ledger += annotation(step.version, step.name, step.backward_compatible);
        }
        place->execute("BEGIN;" + schema + ledger + "COMMIT");
    }

    static std::string annotation(int version, std::string_view name, bool compatible) {
        return "INSERT INTO ff_migration_annotation (version, name, applied_at_ms, backward_compatible) VALUES (" +
               std::to_string(version) + ", '" + std::string(name) + "', 0, " + (compatible ? "true" : "false") + ");";
    }
    void add_step(int version, bool compatible) { place->execute(annotation(version, "from_the_future", compatible)); }

    void expect_refused(const StoreResult<void>& checked, std::string_view why) {
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().fault, StoreFault::unavailable);
        EXPECT_NE(checked.error().detail.find(why), std::string::npos) << checked.error().detail;
    }

    std::unique_ptr<Place> place;
};

using Places = testing::Types<SqliteFile, PostgresSchema>;
TYPED_TEST_SUITE(Migrations, Places);

TYPED_TEST(Migrations, AnEmptyDatabaseIsRefusedUntilItIsMigrated) {
    this->expect_refused(this->place->backend()->check(), "ff migrate");
    this->migrate();
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, EveryStepIsAppliedOnceAndNamed) {
    const auto first = this->place->backend()->migrate();
    ASSERT_TRUE(first) << first.error().detail;
    EXPECT_THAT(*first, SizeIs(TypeParam::migrations().size()));
    EXPECT_EQ(first->front(), "0001_initial");
    const auto second = this->place->backend()->migrate();
    ASSERT_TRUE(second) << second.error().detail;
    EXPECT_THAT(*second, IsEmpty());
    EXPECT_TRUE(this->place->backend()->check());
}

TYPED_TEST(Migrations, StepsAreNumberedWithoutGaps) {
    int expected = 1;
    for (const Migration& migration : TypeParam::migrations()) EXPECT_EQ(migration.version, expected++);
}

TYPED_TEST(Migrations, AnAppliedStepThatIsMissingIsNamed) {
    this->migrate();
    this->place->execute("DELETE FROM ff_migration_annotation");
    this->expect_refused(this->place->backend()->check(), "initial");
}

TYPED_TEST(Migrations, ANewerCompatibleSchemaIsAccepted) {
    this->migrate();
    this->add_step(9'000, true);
    EXPECT_TRUE(this->place->backend()->check());
    const auto again = this->place->backend()->migrate();
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_THAT(*again, IsEmpty());
}

TYPED_TEST(Migrations, ANewerIncompatibleSchemaIsRefused) {
    this->migrate();
    this->add_step(9'000, true);
    this->add_step(9'001, false);
    this->expect_refused(this->place->backend()->check(), "from_the_future");
    const auto again = this->place->backend()->migrate();
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().fault, StoreFault::unavailable);
}

// As they stood before there was a cause.
TYPED_TEST(Migrations, ExecutionsThatWereCancelledBeforeGetTheCauseThatTheEngineWrote) {
    using enum CancellationCause;
    struct Cancelled {
        std::string by;
        std::string reason;
        CancellationCause cause;
    };
    const std::vector<Cancelled> all{{"operator_override", "sibling_quorum_x by the user", request},
                                     {"operator_override", "sibling_quorum_satisfied", request},
                                     {"worker", "not needed", request},
                                     {"flow_cascade", "enough", flow},
                                     {"flow_cascade", "sibling_quorum_satisfied", sibling},
                                     {"flow_cascade", "sibling_quorum_impossible", sibling},
                                     {"system_timeout", "suspension_timeout:cancel", timeout}};
    this->migrate();
    {
        WorkingSet set;
        for (std::size_t i = 0; i < all.size(); ++i) {
            ExecutionRow row = waiting_row(i + 1);
            row.flow_id = FlowId{uuid_of(100)};
            row.vector = terminal_vector(TerminalOutcome::cancelled, false);
            row.cancelled_by = all[i].by;
            row.cancellation_reason = all[i].reason;
            set.completion_events.push_back({.execution_id = row.id,
                                             .namespace_name = row.namespace_name,
                                             .flow_id = row.flow_id,
                                             .outcome = TerminalOutcome::cancelled});
            set.executions.push_back({.row = std::move(row), .change = RowChange::insert, .input = "own"});
        }
        const auto writer = std::move(*this->place->backend()->open_writer());
        ASSERT_TRUE(writer->load({}));
        const auto saved = writer->save(set);
        ASSERT_TRUE(saved) << saved.error().detail;
    }
    this->place->execute("ALTER TABLE ff_exec_core DROP COLUMN cancellation_cause");
    this->place->execute("ALTER TABLE ff_completion_event DROP COLUMN cancellation_cause");
    this->place->execute("DELETE FROM ff_migration_annotation WHERE name = 'cancellation_cause'");
    this->migrate();

    const auto reader = std::move(*this->place->backend()->open_reader());
    const auto ends = reader->undispatched(0, 100);
    ASSERT_TRUE(ends) << ends.error().detail;
    ASSERT_THAT(*ends, SizeIs(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(reader->execution(execution(i + 1))->value().cancellation_cause, all[i].cause) << all[i].reason;
        EXPECT_EQ((*ends)[i].cause, all[i].cause) << all[i].reason;
    }
}

// ---- retention as it stood while it was read out of policies ----------------------------------------------------

template <class Place>
class RetentionOfBefore : public Migrations<Place> {
  protected:
    // Written by an engine without the column, then brought up to date.
    void migrate_with(const WorkingSet& set) {
        this->migrate();
        {
            const auto writer = std::move(*this->place->backend()->open_writer());
            ASSERT_TRUE(writer->load({}));
            const auto saved = writer->save(set);
            ASSERT_TRUE(saved) << saved.error().detail;
        }
        this->place->execute("ALTER TABLE ff_exec_core DROP COLUMN own_retention_ms");
        this->place->execute("DELETE FROM ff_migration_annotation WHERE name = 'own_retention'");
        this->migrate();
    }
    static FlowKey flow(std::uint64_t number) { return {execution(1).partition, FlowId{uuid_of(number)}}; }
};
TYPED_TEST_SUITE(RetentionOfBefore, Places);

TYPED_TEST(RetentionOfBefore, IsTheExecutionsOwnIfItsPolicyIsSound) {
    struct Kept {
        std::optional<std::string> policy;
        std::optional<std::uint64_t> own_ms;
    };
    constexpr std::uint64_t longest = std::numeric_limits<std::int64_t>::max();
    const auto kept_for = [](const std::string& value) {
        return R"({"stream_policy": {"retention_ttl_ms": )" + value + "}}";
    };
    std::vector<Kept> all{{std::nullopt, std::nullopt},
                          {"{}", std::nullopt},
                          {kept_for("50"), 50},
                          {kept_for("0"), 0},
                          {kept_for("9223372036854775807"), longest},
                          {kept_for("9223372036854775808"), longest},
                          {kept_for("18446744073709551615"), longest},
                          {kept_for("100000000000000000000"), std::nullopt},
                          {kept_for("-1"), std::nullopt},
                          {kept_for("1.5"), std::nullopt},
                          {kept_for("null"), std::nullopt},
                          {kept_for("[5]"), std::nullopt},
                          {kept_for(R"("x")"), std::nullopt},
                          {kept_for(R"("7")"), std::nullopt},
                          {R"({"stream_policy": ["retention_ttl_ms", 5]})", std::nullopt},
                          {R"([{"retention_ttl_ms": 5}])", std::nullopt},
                          {R"("retention_ttl_ms")", std::nullopt}};
    if (TypeParam::kind == StoreKind::sqlite) all.push_back({R"({"retention_ttl_ms)", std::nullopt});
    WorkingSet set;
    for (std::size_t i = 0; i < all.size(); ++i) {
        ExecutionRow row = waiting_row(i + 1);
        if (all[i].policy) row.policy = Json{*all[i].policy};
        set.executions.push_back({.row = std::move(row), .change = RowChange::insert, .input = "own"});
    }
    ASSERT_NO_FATAL_FAILURE(this->migrate_with(set));
    const auto reader = std::move(*this->place->backend()->open_reader());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(reader->execution(execution(i + 1))->value().own_retention_ms, all[i].own_ms)
            << all[i].policy.value_or("no policy");
    }
}

TYPED_TEST(RetentionOfBefore, LeavesNoFlowBehindThatNothingLeadsTo) {
    const FlowKey live = this->flow(1);
    const FlowKey ended = this->flow(2);
    const FlowKey empty = this->flow(3);
    const FlowRetentionRow noted{.key = this->flow(4), .remove_at_ms = 7};
    WorkingSet set;
    set.side.of<FlowRow>().put({.key = live, .open_members = 1});
    set.side.of<FlowRow>().put({.key = ended});
    set.side.of<FlowRow>().put({.key = empty});
    set.side.of<FlowRow>().put({.key = noted.key, .open_members = 1});
    set.side.of<FlowRetentionRow>().put(noted);
    ExecutionRow member = waiting_row(1);
    member.flow_id = ended.flow_id;
    member.vector = terminal_vector(TerminalOutcome::success, false);
    member.terminal_at_ms = created_at;
    set.executions.push_back({.row = std::move(member), .change = RowChange::insert, .input = "own"});
    ASSERT_NO_FATAL_FAILURE(this->migrate_with(set));

    const auto reader = std::move(*this->place->backend()->open_reader());
    const auto notes = reader->template all<FlowRetentionRow>();
    ASSERT_TRUE(notes) << notes.error().detail;
    ASSERT_THAT(*notes, SizeIs(3));
    EXPECT_EQ((*notes)[0].key, live);
    EXPECT_EQ((*notes)[1].key, empty);
    EXPECT_EQ((*notes)[2], noted);
    EXPECT_LE((*notes)[0].remove_at_ms, *reader->now()) << "its members are counted at once";
}

// ---- suspensions as they stood before signals belonged to the execution -----------------------------------------

// A suspension and its one waitpoint have the same number.
template <class Place>
class SuspensionsOfBefore : public Migrations<Place> {
  protected:
    static constexpr const char* completing = "resume_condition_satisfied";
    static constexpr const char* appended = "appended_to_waitpoint";
    static constexpr const char* kept = "buffered_for_pending_waitpoint";

    void SetUp() override {
        Migrations<Place>::SetUp();
        if (!this->place) return;
        this->migrate_up_to("signals_of_the_execution");
        // Suspended twice and resumed twice, each time by a signal behind others.
        waitpoint(1, 11, true);
        signal(1, 0, 11, appended);
        signal(1, 1, 11, completing);
        key(1, "first", 11, true);
        waitpoint(1, 12, true);
        suspension(1, 12, "resumed", "[3, 4]");
        signal(1, 2, 12, "signal_ignored_matcher_failed");
        signal(1, 3, 12, appended);
        signal(1, 4, 12, completing);
        key(1, "last", 12, true);
        // Still suspended.
        waitpoint(2, 21, true);
        suspension(2, 21, "", "[]");
        signal(2, 0, 21, appended);
        key(2, "open", 21, true);
        // Resumed by its deadline.
        waitpoint(3, 31, true);
        suspension(3, 31, "timed_out_auto_resume", "[0]");
        signal(3, 0, 31, completing, "suspension_timeout");
        key(3, "too late", 31, true);
        // The condition was met by what was kept for it, and another waitpoint is still open for the next suspension.
        waitpoint(4, 41, true);
        waitpoint(4, 42, false);
        suspension(4, 41, "resumed", "[0]");
        signal(4, 0, 41, kept);
        signal(4, 1, 42, kept);
        key(4, "met", 41, false);
        // Resumed by an operator.
        waitpoint(5, 51, true);
        suspension(5, 51, "resumed", "[]");
        key(5, "operator", 51, true);
        this->migrate();
    }

    static RememberedSuspend remembered(std::uint64_t number) {
        return {.suspension_id = SuspensionId{uuid_of(number)},
                .waitpoints = {{.id = WaitpointId{uuid_of(number)}, .key = "approval", .kid = "k1"}}};
    }

  private:
    static std::string text(const std::string& value) { return value.empty() ? "NULL" : "'" + value + "'"; }
    static std::string id(std::uint64_t number) { return Place::literal(uuid_of(number)); }
    static std::string owner(std::uint64_t number) {
        return std::to_string(execution(number).partition) + ", " + Place::literal(execution(number).uuid);
    }
    void insert(const std::string& table, const std::string& columns, const std::string& values) {
        this->place->execute("INSERT INTO " + table + " (partition_key, execution_id, " + columns + ") VALUES (" +
                             values + ")");
    }

    void waitpoint(std::uint64_t execution_number, std::uint64_t number, bool bound) {
        insert("ff_waitpoint_pending",
               "waitpoint_id, suspension_id, attempt_index, waitpoint_key, token_kid, token_fingerprint, created_at_ms",
               owner(execution_number) + ", " + id(number) + ", " + (bound ? id(number) : "NULL") +
                   ", 0, 'approval', 'k1', 'f', 1");
    }
    void suspension(std::uint64_t execution_number, std::uint64_t number, const std::string& ended,
                    const std::string& satisfied_set) {
        insert("ff_suspension_current",
               "suspension_id, attempt_index, suspended_at_ms, reason_code, condition, satisfied_set, resume_policy, "
               "requested_by, closed_at_ms, close_reason",
               owner(execution_number) + ", " + id(number) + ", 0, 1, 'waiting_for_signal', '{}', '" + satisfied_set +
                   "', '{}', 'worker', " + (ended.empty() ? "NULL" : "2") + ", " + text(ended));
    }
    void signal(std::uint64_t execution_number, int seq, std::uint64_t waitpoint_number, const std::string& effect,
                const std::string& source = "ada") {
        insert("ff_signal",
               "seq, signal_id, waitpoint_id, waitpoint_key, signal_name, signal_category, source_type, "
               "source_identity, payload_encoding, target_scope, accepted_at_ms, observed_effect, matched, live",
               owner(execution_number) + ", " + std::to_string(seq) + ", " +
                   id(1000 * execution_number + static_cast<std::uint64_t>(seq)) + ", " + id(waitpoint_number) +
                   ", 'approval', 'approved', 'test', 'user', '" + source + "', 'json', 'waitpoint', 2, '" + effect +
                   "', true, false");
    }
    void key(std::uint64_t execution_number, const std::string& name, std::uint64_t number, bool suspended) {
        RememberedSuspend outcome = remembered(number);
        if (suspended) outcome.handle = "handle";
        insert("ff_suspend_dedup", "idempotency_key, outcome_json, created_at_ms, expires_at_ms",
               owner(execution_number) + ", '" + name + "', '" + outcome.to_json().text + "', 7, 604800007");
    }
};
TYPED_TEST_SUITE(SuspensionsOfBefore, Places);

TYPED_TEST(SuspensionsOfBefore, HaveSignalsThatAreTheirsAndTellWhetherTheySatisfiedThem) {
    struct Expected {
        SignalKey key;
        std::optional<SuspensionId> suspension_id;
        bool satisfied;
    };
    const auto of = [](std::uint64_t number) { return SuspensionId{uuid_of(number)}; };
    // Of the first suspension of execution 1 only the signal is known that completed it.
    const std::vector<Expected> all{{{execution(1), 0}, of(11), false},      {{execution(1), 1}, of(11), true},
                                    {{execution(1), 2}, of(12), false},      {{execution(1), 3}, of(12), true},
                                    {{execution(1), 4}, of(12), true},       {{execution(2), 0}, of(21), false},
                                    {{execution(3), 0}, of(31), false},      {{execution(4), 0}, of(41), true},
                                    {{execution(4), 1}, std::nullopt, false}};
    const auto reader = std::move(*this->place->backend()->open_reader());
    const auto signals = reader->template all<SignalRow>();
    ASSERT_TRUE(signals) << signals.error().detail;
    ASSERT_THAT(*signals, SizeIs(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const SignalRow& signal = (*signals)[i];
        SCOPED_TRACE(signal.key.execution_id.to_string() + " signal " + std::to_string(signal.key.seq));
        EXPECT_EQ(signal.key, all[i].key);
        EXPECT_EQ(signal.suspension_id, all[i].suspension_id);
        EXPECT_EQ(signal.satisfied, all[i].satisfied);
        EXPECT_EQ(signal.replay_count, 0);
    }
}

TYPED_TEST(SuspensionsOfBefore, HaveKeysThatStandForThemIfTheyAreOpenOrWereSatisfied) {
    using Seqs = std::vector<std::int32_t>;
    struct Expected {
        SuspendDedupKey key;
        std::uint64_t suspension;
        std::optional<Seqs> signals;  // if it was satisfied
    };
    const std::vector<Expected> all{{{execution(1), "first"}, 11, Seqs{0, 1}},
                                    {{execution(1), "last"}, 12, Seqs{2, 3, 4}},
                                    {{execution(2), "open"}, 21, std::nullopt},
                                    {{execution(4), "met"}, 41, Seqs{0}},
                                    {{execution(5), "operator"}, 51, Seqs{}}};
    const auto reader = std::move(*this->place->backend()->open_reader());
    const auto keys = reader->template all<SuspendDedupRow>();
    ASSERT_TRUE(keys) << keys.error().detail;
    ASSERT_THAT(*keys, SizeIs(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const SuspendDedupRow& row = (*keys)[i];
        SCOPED_TRACE(row.key.idempotency_key);
        EXPECT_EQ(row.key, all[i].key);
        EXPECT_EQ(row.satisfied_at_ms, all[i].signals ? std::optional<std::int64_t>(7) : std::nullopt);
        EXPECT_EQ(row.expires_at_ms, std::numeric_limits<std::int64_t>::max());
        EXPECT_EQ(row.replay_count, 0);
        RememberedSuspend expected = this->remembered(all[i].suspension);
        if (all[i].signals) {
            expected.signals = *all[i].signals;
        } else {
            expected.handle = "handle";
        }
        EXPECT_EQ(RememberedSuspend::parse(row.outcome_json), expected) << row.outcome_json.text;
    }
}

// ---- partitions -------------------------------------------------------------------------------------------------

TYPED_TEST(Migrations, OtherPartitionCountsAreRefused) {
    this->migrate();
    for (const std::string column : {"num_flow_partitions", "num_budget_partitions", "num_quota_partitions"}) {
        this->place->execute("UPDATE ff_partition_config SET " + column + " = " + column + " * 2");
        this->expect_refused(this->place->backend()->check(), "partitions");
        this->place->execute("UPDATE ff_partition_config SET " + column + " = " + column + " / 2");
        EXPECT_TRUE(this->place->backend()->check());
    }
}

TYPED_TEST(Migrations, MissingPartitionCountsAreRefused) {
    this->migrate();
    this->place->execute("DELETE FROM ff_partition_config");
    this->expect_refused(this->place->backend()->check(), "partition");
}

}  // namespace
}  // namespace flowfabric::test
