#include "store/postgres/wire/connection.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "store/postgres/health/rights.hpp"

namespace flowfabric::postgres {
namespace {

constexpr int oldest_server = 140'000;
constexpr std::string_view division_by_zero = "22012";
constexpr std::string_view insufficient_privilege = "42501";

// libpq breaks its messages into lines, and ends the last one too.
std::string one_line(const char* message) {
    std::istringstream lines(message ? message : "");
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        const auto start = line.find_first_not_of(" \t\r");
        if (start == std::string::npos) continue;
        text += (text.empty() ? "" : "; ") + line.substr(start);
    }
    return text;
}

std::string_view diagnostic(const PGresult* result, int field) {
    const char* value = PQresultErrorField(result, field);
    return value ? value : "";
}

// A FATAL or PANIC ends the session, whatever its code.
bool ends_session(const PGresult* result) {
    const auto severity = diagnostic(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity == "FATAL" || severity == "PANIC";
}

Failure failure_of(const PGresult* result, const Statement& statement, const PGconn* connection) {
    const auto sqlstate = diagnostic(result, PG_DIAG_SQLSTATE);
    std::string detail = statement.name + ": ";
    if (sqlstate == division_by_zero) return {statement.on_mismatch, detail + "not as many rows as expected"};
    // Not the message's DETAIL, which quotes whole rows.
    const auto message = diagnostic(result, PG_DIAG_MESSAGE_PRIMARY);
    detail += std::string(sqlstate) + " " + std::string(message);
    if (sqlstate == insufficient_privilege) detail += missing_grants(message, statement.sql, PQuser(connection));
    return {fault_of(sqlstate), std::move(detail)};
}

int milliseconds_until(StoreDeadline until) {
    if (until == no_deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - StoreDeadline::clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

struct FreeOptions {
    void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using ConnectionOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string option_of(const ConnectionOptions& options, std::string_view keyword) {
    for (const PQconninfoOption* option = options.get(); option && option->keyword; ++option) {
        if (option->keyword == keyword) return option->val ? option->val : "";
    }
    return {};
}

// Where a URL leads to, as libpq's lists.
struct Hosts {
    std::array<std::string, 3> lists;  // host, hostaddr, port

    std::ptrdiff_t count() const {
        return 1 + std::max(std::ranges::count(lists[0], ','), std::ranges::count(lists[1], ','));
    }
    void rotate() {
        for (std::string& list : lists) {
            const auto comma = list.find(',');
            if (comma != std::string::npos) list = list.substr(comma + 1) + ',' + list.substr(0, comma);
        }
    }
};

// libpq's own message about a URL that it cannot read quotes the URL, and with it the password.
Hosts hosts_of(const std::string& url) {
    const ConnectionOptions options(PQconninfoParse(url.c_str(), nullptr));
    if (!options) {
        throw Failure(StoreFault::unavailable,
                      "the store's URL cannot be read: expected postgres://USER:PASSWORD@HOST:PORT/DATABASE, with "
                      "special characters in user and password percent-encoded");
    }
    return {{option_of(options, "host"), option_of(options, "hostaddr"), option_of(options, "port")}};
}

pg_conn* start_connecting(const std::string& url, const Hosts& hosts) {
    // Ours come first, so that the URL may override them; its hosts in their present order come last.
    constexpr std::array<const char*, 12> keywords{"client_encoding",
                                                   "fallback_application_name",
                                                   "connect_timeout",
                                                   "tcp_user_timeout",
                                                   "keepalives_idle",
                                                   "keepalives_interval",
                                                   "keepalives_count",
                                                   "dbname",
                                                   "host",
                                                   "hostaddr",
                                                   "port"};
    // An empty value counts as absent.
    const std::array<const char*, 12> values{"UTF8",
                                             "flowfabric",
                                             "10",
                                             "15000",
                                             "15",
                                             "5",
                                             "3",
                                             url.c_str(),
                                             hosts.lists[0].c_str(),
                                             hosts.lists[1].c_str(),
                                             hosts.lists[2].c_str()};
    return PQconnectStartParams(keywords.data(), values.data(), 1);
}

// As libpq reads connect_timeout: none if it is not positive, and no less than two seconds.
StoreDeadline connect_deadline(pg_conn* connection) {
    const ConnectionOptions options(PQconninfo(connection));
    const long seconds = std::strtol(option_of(options, "connect_timeout").c_str(), nullptr, 10);
    if (seconds <= 0) return no_deadline;
    return StoreDeadline::clock::now() + std::chrono::seconds(std::max(seconds, 2L));
}

}  // namespace

Rows::Rows(pg_result* result) : result_(result), size_(static_cast<std::size_t>(PQntuples(result))) {}

void Rows::Clear::operator()(pg_result* result) const {
    PQclear(result);
}

std::size_t Rows::affected() const {
    return std::strtoull(PQcmdTuples(result_.get()), nullptr, 10);
}

Cell Rows::cell(std::size_t row, std::size_t column) const {
    const int r = static_cast<int>(row);
    const int c = static_cast<int>(column);
    if (PQgetisnull(result_.get(), r, c)) return std::nullopt;
    return std::string_view(PQgetvalue(result_.get(), r, c),
                            static_cast<std::size_t>(PQgetlength(result_.get(), r, c)));
}

void Connection::Finish::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

Connection::Connection(const std::string& url, std::shared_ptr<Interrupts> interrupts, StoreDeadline until)
    : interrupts_(std::move(interrupts)), deadline_(until) {
    connect(url);
    PQsetNoticeReceiver(connection_.get(), [](void*, const PGresult*) {}, nullptr);
    if (PQserverVersion(connection_.get()) < oldest_server) {
        throw Failure(StoreFault::unavailable, "PostgreSQL 14 or newer is needed");
    }
    if (PQsetnonblocking(connection_.get(), 1) != 0 || PQenterPipelineMode(connection_.get()) != 1) lose("pipeline");
}

void Connection::connect(const std::string& url) {
    Hosts hosts = hosts_of(url);
    for (auto left = hosts.count();; --left) {
        connection_.reset(start_connecting(url, hosts));
        const auto until = std::min(deadline_, connect_deadline(connection_.get()));
        auto wanted = PGRES_POLLING_WRITING;
        while (wanted == PGRES_POLLING_READING || wanted == PGRES_POLLING_WRITING) {
            if (PQstatus(connection_.get()) == CONNECTION_BAD) lose("connect");
            const short events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT;
            if (poll_until(events, until) == Wait::timed_out) break;
            wanted = PQconnectPoll(connection_.get());
        }
        if (wanted == PGRES_POLLING_OK) return;
        if (wanted == PGRES_POLLING_FAILED) lose("connect");
        // libpq leaves a silent host for the next one only where it may block.
        if (left <= 1 || StoreDeadline::clock::now() >= deadline_) give_up("connect");
        hosts.rotate();
    }
}

Connection::Connection(const std::string& url, const Statement& session, std::shared_ptr<Interrupts> interrupts,
                       StoreDeadline until)
    : Connection(url, std::move(interrupts), until) {
    const Rows settings = run(session);
    process_id_ = settings.get<std::int32_t>(0, 0);
    if (!settings.cell(0, 1)) throw Failure(StoreFault::unavailable, "no schema of the search_path exists");
    // A pooler invents a process id for its clients; a direct connection tells the true one.
    if (process_id_ != PQbackendPID(connection_.get())) refuse_transaction_pooler(url);
}

// In transaction mode the server session that we have just set up goes to the next client, or we get another one.
void Connection::refuse_transaction_pooler(const std::string& url) {
    static const Statement begin{"begin_probe", "BEGIN"};
    static const Statement process{"process_probe", "SELECT pg_backend_pid()"};

    Connection other(url, interrupts_, deadline_);
    other.run(begin);
    const bool shared = other.run(process).get<std::int32_t>(0, 0) == process_id_;
    if (shared || run(process).get<std::int32_t>(0, 0) != process_id_) {
        throw Failure(StoreFault::unavailable,
                      "the database is behind a pooler in transaction mode; connect directly or in session mode");
    }
}

void Connection::send(const Statement& statement, const Params& params) {
    if (broken_) lose("send");
    if (!prepared_.contains(&statement) && preparing_.insert(&statement).second) {
        if (PQsendPrepare(connection_.get(), statement.name.c_str(), statement.sql.c_str(), 0, nullptr) != 1) {
            lose("prepare");
        }
        open_.replies.push_back({&statement, true});
    }
    const auto& values = params.values();
    std::vector<const char*> pointers(values.size());
    std::vector<int> lengths(values.size());
    const std::vector<int> binary(values.size(), 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
        pointers[i] = values[i] ? values[i]->data() : nullptr;
        lengths[i] = values[i] ? static_cast<int>(values[i]->size()) : 0;
    }
    if (PQsendQueryPrepared(connection_.get(), statement.name.c_str(), static_cast<int>(values.size()), pointers.data(),
                            lengths.data(), binary.data(), 1) != 1) {
        lose("send");
    }
    open_.replies.push_back({&statement, false});
}

std::size_t Connection::section_size() const {
    return static_cast<std::size_t>(std::ranges::count(open_.replies, false, &Reply::preparation));
}

void Connection::stop_attending() {
    if (broken_ || (!open_.replies.empty() && PQsendFlushRequest(connection_.get()) != 1)) lose("send");
    open_.attended = open_.replies.size();
}

void Connection::end_section() {
    if (broken_ || PQpipelineSync(connection_.get()) != 1) lose("send");
    unread_.push_back(std::exchange(open_, {}));
}

void Connection::flush() {
    while (true) {
        const int pending = PQflush(connection_.get());
        if (pending == 0) return;
        if (pending < 0) lose("send");
        wait_for(POLLIN | POLLOUT);
    }
}

std::vector<Rows> Connection::receive() {
    flush();
    drop_unattended();
    Section& section = unread_.front();
    return read_replies(std::exchange(section.attended, 0).value_or(section.replies.size()));
}

void Connection::drop_unattended() {
    while (!unread_.empty() && unread_.front().attended == 0U) {
        try {
            read_replies(unread_.front().replies.size());
        } catch (const Failure&) {
            if (broken_) throw;
        }
    }
}

Rows Connection::run(const Statement& statement, const Params& params) {
    send(statement, params);
    end_section();
    return std::move(receive().front());
}

// Of the section that was sent first, and its end behind the last of them.
std::vector<Rows> Connection::read_replies(std::size_t count) {
    auto& replies = unread_.front().replies;
    std::vector<Rows> results;
    std::optional<Failure> failure;
    for (; count > 0; --count) {
        const Reply reply = replies.front();
        replies.pop_front();
        pg_result* raw = next_result();
        if (raw == nullptr) lose("receive");
        Rows rows(raw);
        const auto status = PQresultStatus(raw);
        const bool succeeded = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
        if (status == PGRES_FATAL_ERROR) {
            if (ends_session(raw) || PQstatus(connection_.get()) == CONNECTION_BAD) lose(reply.statement->name);
            if (!failure) failure = failure_of(raw, *reply.statement, connection_.get());
        }
        if (reply.preparation) {
            preparing_.erase(reply.statement);
            if (succeeded) prepared_.insert(reply.statement);
        } else if (succeeded) {
            results.push_back(std::move(rows));
        }
        if (next_result() != nullptr) lose("receive");  // the end of this statement's results
    }
    if (replies.empty()) {
        unread_.pop_front();
        pg_result* raw = next_result();
        const Rows sync(raw);
        if (PQresultStatus(raw) != PGRES_PIPELINE_SYNC) lose("receive");
    }
    if (failure) throw Failure(*failure);
    return results;
}

pg_result* Connection::next_result() {
    while (PQisBusy(connection_.get()) == 1) wait_for(POLLIN);
    return PQgetResult(connection_.get());
}

// Reads what has come in, whatever is waited for: a server that cannot send does not read either.
void Connection::wait_for(short events) {
    const auto now = StoreDeadline::clock::now();
    const bool any_silence = longest_silence_ == std::chrono::milliseconds::max();
    const auto until = any_silence ? deadline_ : std::min(deadline_, now + longest_silence_);
    if (poll_until(events, until) == Wait::timed_out) give_up("receive");
    consume_input();
}

Connection::Wait Connection::poll_until(short events, StoreDeadline until) {
    std::array<pollfd, 2> sources{pollfd{PQsocket(connection_.get()), events, 0}, pollfd{interrupted_.fd(), POLLIN, 0}};
    int ready = 0;
    do {
        ready = poll(sources.data(), sources.size(), milliseconds_until(until));
    } while (ready < 0 && errno == EINTR);
    if (ready < 0) lose("poll");
    if (sources[1].revents != 0) give_up("interrupted");
    return ready == 0 ? Wait::timed_out : Wait::ready;
}

void Connection::consume_input() {
    if (PQconsumeInput(connection_.get()) != 1) lose("receive");
}

void Connection::run_script(std::string_view sql) {
    if (PQexitPipelineMode(connection_.get()) != 1) lose("pipeline");
    const std::string script(sql);
    if (PQsendQuery(connection_.get(), script.c_str()) != 1) lose("script");
    flush();
    std::optional<Failure> failure;
    while (pg_result* raw = next_result()) {
        const Rows result(raw);
        if (PQresultStatus(raw) == PGRES_FATAL_ERROR && !failure)
            failure = failure_of(raw, {"script", {}}, connection_.get());
    }
    if (PQstatus(connection_.get()) == CONNECTION_BAD || PQenterPipelineMode(connection_.get()) != 1) lose("script");
    if (failure) throw Failure(*failure);
}

// libpq knows once every reply is read.
bool Connection::in_transaction() {
    drop_unattended();
    return PQtransactionStatus(connection_.get()) != PQTRANS_IDLE;
}

std::vector<Notification> Connection::wait_notifications(int wake_fd, int timeout_ms) {
    std::array<pollfd, 2> sources{pollfd{PQsocket(connection_.get()), POLLIN, 0}, pollfd{wake_fd, POLLIN, 0}};
    if (poll(sources.data(), sources.size(), timeout_ms) < 0 && errno != EINTR) lose("poll");
    if (sources[0].revents != 0) consume_input();

    std::vector<Notification> notifications;
    while (PGnotify* raw = PQnotifies(connection_.get())) {
        notifications.push_back({raw->relname, raw->extra, raw->be_pid});
        PQfreemem(raw);
    }
    return notifications;
}

void Connection::give_up(std::string_view why) {
    broken_ = true;
    throw Failure(StoreFault::connection, std::string(why) + ": the server does not answer");
}

void Connection::lose(std::string_view what) {
    broken_ = true;
    throw Failure(StoreFault::connection, std::string(what) + ": " + one_line(PQerrorMessage(connection_.get())));
}

}  // namespace flowfabric::postgres
