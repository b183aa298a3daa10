#include <csignal>

#include "e2e/server_process.hpp"
#include "support/sql_session.hpp"

namespace flowfabric::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Tail : public EndToEnd {
  protected:
    void TearDown() override {
        worker_.reset();
        EndToEnd::TearDown();
    }
    std::vector<std::string> tail(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"tail", "--json"});
        return command(std::move(options));
    }
    static void await_start(const Process& process) { process.await_line("ff: following"); }

    std::string work_one(std::vector<std::string> options = {}) {
        options.insert(options.end(), {"--lane", "reports"});
        const auto id = submit(std::move(options));
        if (!worker_) {
            worker_ = std::make_unique<Process>(command({"worker", "--json", "--lane", "reports", "--", "cat"}));
        }
        worker_->await_line(id);
        return id;
    }
    static void stop(Process& process, int signal = SIGTERM) {
        process.signal(signal);
        EXPECT_EQ(process.wait(), 0) << process.errors();
    }
    static boost::json::value event_of(const Process& process, const std::string& id) {
        return boost::json::parse(process.await_line(id));
    }
    static std::string cursor_in(const boost::json::value& event) {
        return std::string(event.at("cursor").as_string());
    }

  private:
    std::unique_ptr<Process> worker_;
};
INSTANTIATE_TEST_SUITE_P(Stores, Tail, durable_stores(), name_of_param);

TEST_P(Tail, ShowsWhatOtherProcessesDoAndGoesOnFromItsCursor) {
    const auto before = work_one();
    std::string cursor;
    std::string first;
    {
        Process following(tail());
        await_start(following);
        first = work_one();
        const auto event = event_of(following, first);
        EXPECT_EQ(event.at("execution_id").as_string(), first);
        EXPECT_EQ(event.at("outcome").as_string(), "success");
        EXPECT_EQ(event.at("namespace").as_string(), "default");
        EXPECT_EQ(event.at("occurred_at_ms"), json_of({"get", first}).at("terminal_at_ms"));
        EXPECT_GT(event.at("event_id").as_int64(), 0);
        cursor = cursor_in(event);
        EXPECT_EQ(cursor.size(), 18U);
        EXPECT_EQ(cursor.substr(0, 2), "02");
        stop(following, SIGINT);
        EXPECT_THAT(following.output(), Not(HasSubstr(before))) << "it began with the next event";
    }
    const auto missed = work_one();
    Process resumed(tail({"--from", cursor}));
    EXPECT_EQ(event_of(resumed, missed).at("outcome").as_string(), "success");
    const auto live = work_one();
    EXPECT_GT(event_of(resumed, live).at("event_id").as_int64(), event_of(resumed, missed).at("event_id").as_int64());
    stop(resumed);
    EXPECT_THAT(resumed.output(), Not(HasSubstr(first))) << "what lies at the cursor was seen already";
}

TEST_P(Tail, BeginsWithTheOldestEvent) {
    const auto id = work_one();
    Process following(tail({"--from", "start"}));
    EXPECT_EQ(event_of(following, id).at("outcome").as_string(), "success");
    stop(following);
}

TEST_P(Tail, FollowsTheChannelThatIsAskedFor) {
    const auto id = work_one();
    Process leases(tail({"--channel", "lease", "--from", "start"}));
    leases.await_line("released");
    const auto acquired = event_of(leases, id);
    EXPECT_EQ(acquired.at("event_type").as_string(), "acquired");
    EXPECT_EQ(acquired.at("lease_epoch").to_number<std::int64_t>(), 1);
    EXPECT_EQ(acquired.at("worker_id").as_string(), "ff-worker");
    stop(leases);

    const auto cancelled = submit();
    json_of({"cancel", cancelled, "--reason", "not needed"});
    json_of({"lanes", "pause", "reports"});
    Process operators(tail({"--channel", "operator", "--from", "start"}));
    const auto id_of_cancelled = value_of(ExecutionId::parse(cancelled));
    const auto event = event_of(operators, id_of_cancelled.uuid.to_string());
    EXPECT_EQ(event.at("partition").as_int64(), id_of_cancelled.partition);
    EXPECT_EQ(event.at("event_type").as_string(), "execution_cancelled");
    EXPECT_EQ(event.at("subject_kind").as_string(), "execution");
    EXPECT_EQ(event.at("details").at("reason").as_string(), "not needed");
    const auto lane = boost::json::parse(operators.await_line("lane_state_changed"));
    EXPECT_EQ(lane.at("details").at("lane_id").as_string(), "reports");
    EXPECT_FALSE(lane.as_object().contains("subject_id"));
    stop(operators);
}

TEST_P(Tail, KeepsToItsNamespaceAndPartition) {
    const auto other = work_one();
    const auto wanted = work_one({"--namespace", "shop"});
    Process shop(tail({"--namespace", "shop", "--from", "start"}));
    event_of(shop, wanted);
    stop(shop);
    EXPECT_THAT(shop.output(), Not(HasSubstr(other)));

    const auto placed = work_one({"--id", "{fp:7}:01a1e215-4efd-764a-a83d-0cd25c0324b3"});
    Process partition(tail({"--partition", "7", "--from", "start"}));
    event_of(partition, placed);
    stop(partition);
    for (const auto& line : partition.lines()) {
        if (line.text.starts_with("{")) {
            EXPECT_THAT(line.text, HasSubstr("{fp:7}:"));
        }
    }
}

TEST_P(Tail, ASilentChannelEndsCleanly) {
    Process following(tail({"--channel", "signal", "--from", "start"}));
    await_start(following);
    stop(following);
    EXPECT_EQ(following.output(), "");
}

TEST_P(Tail, PrintsOneLinePerEventForPeople) {
    const auto id = work_one();
    Process following(command({"tail", "--from", "start"}));
    EXPECT_THAT(following.await_line(id), HasSubstr(id + "  success"));
    stop(following);
}

TEST_P(Tail, RefusesWhatIsNoCursor) {
    for (const auto* from : {"yesterday", "02", "020", "02zz", "", "030000000000000001"}) {
        expect_typed_error(run({"tail", "--json", "--from", from}), "invalid_input");
    }
    EXPECT_EQ(run({"tail", "--channel", "gossip"}).status, 2);
    expect_typed_error(run({"tail", "--json", "--partition", "256"}), "invalid_input");
}

class TailOfServer : public ServerProcess {
  protected:
    std::string end_one() {
        const auto id = submit({"--lane", "reports"});
        json_of({"cancel", id, "--reason", "not needed"});
        return id;
    }
};
INSTANTIATE_TEST_SUITE_P(Stores, TailOfServer, durable_stores(), name_of_param);

TEST_P(TailOfServer, MissesNothingWhileTheServerIsRestarted) {
    const std::string body = R"({"execution_kind":"test","lane_id":"default"})";
    serve();
    Process following(ff({"tail", "--json", "--server", url()}));
    following.await_line("ff: following");
    following.await_line(end_one());
    // Between the signal and its end the server refuses what comes back to it.
    const auto upload = begin_request(port(), "/v1/executions", body);
    server().signal(SIGTERM);
    server().await_line("path=/v1/events status=503");
    const auto missed = end_one();
    upload->send(body);
    EXPECT_EQ(server().wait(), 0);

    Process again(command({"server", "--json", "--listen", "127.0.0.1:" + std::to_string(port())}));
    again.await_line("url");
    following.await_line(missed);
    following.await_line(end_one());
    for (Process* program : {&following, &again}) {
        program->signal(SIGTERM);
        EXPECT_EQ(program->wait(), 0) << program->errors();
    }
}

class PostgresTail : public Tail {};
INSTANTIATE_TEST_SUITE_P(Stores, PostgresTail, ::testing::Values(StoreKind::postgres), name_of_param);

TEST_P(PostgresTail, TellsOfALostConnectionAndGoesOn) {
    Process following(tail());
    await_start(following);
    SqlSession(store().url())
        .run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()");
    const auto id = work_one();
    EXPECT_EQ(event_of(following, id).at("outcome").as_string(), "success");
    EXPECT_THAT(following.await_line("disconnected"), HasSubstr("behind cursor 02"));
    stop(following);
}

}  // namespace
}  // namespace flowfabric::test
