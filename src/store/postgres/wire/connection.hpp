#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "store/postgres/wire/columns.hpp"
#include "store/postgres/wire/interrupts.hpp"
#include "store/postgres/wire/params.hpp"

struct pg_conn;
struct pg_result;

namespace flowfabric::postgres {

// A named statement, prepared by a connection when it first needs it.
struct Statement {
    std::string name;
    std::string sql;
    // What it means when the statement's own check of its row count fails (it then divides by zero).
    StoreFault on_mismatch = StoreFault::data;
};

// The result of one statement.
class Rows {
  public:
    explicit Rows(pg_result* result);

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t affected() const;
    Cell cell(std::size_t row, std::size_t column) const;
    template <class T>
    T get(std::size_t row, std::size_t column) const {
        return CellReader<T>::read(cell(row, column));
    }

  private:
    struct Clear {
        void operator()(pg_result* result) const;
    };
    std::unique_ptr<pg_result, Clear> result_;
    std::size_t size_;
};

struct Notification {
    std::string channel;
    std::string payload;
    int process_id = 0;
};

// One session, always in pipeline mode and non-blocking: while it sends it also reads, so that a large batch cannot
// deadlock against a server that is sending. Statements are sent in sections; a section ends with a Sync and is the
// unit of failure. Failures are thrown; afterwards the session is ready for the next section (in a failed transaction,
// if one was open), or broken.
//
// A server that hangs breaks the session: when it has been silent for longer than its own limit for a statement allows,
// by the deadline if there is one, and when the session is interrupted.
class Connection {
  public:
    // `session` sets up the session; its first two columns are pg_backend_pid() and current_schema().
    Connection(const std::string& url, const Statement& session,
               std::shared_ptr<Interrupts> interrupts = std::make_shared<Interrupts>(),
               StoreDeadline until = no_deadline);

    void end_by(StoreDeadline until) { deadline_ = until; }
    // For sessions whose statements the server does not limit.
    void allow_any_silence() { longest_silence_ = std::chrono::milliseconds::max(); }

    void send(const Statement& statement, const Params& params = {});
    // Nobody waits for what the section holds from here on: its replies are read, and dropped, before those of the next
    // section. What came before is answered at once.
    void stop_attending();
    void end_section();
    // How many statements the section has so far.
    std::size_t section_size() const;
    void flush();
    // The results of the next section that is attended, one per statement; throws its first failure.
    std::vector<Rows> receive();

    // A section of one statement.
    Rows run(const Statement& statement, const Params& params = {});
    // Many statements, separated by semicolons, outside of the pipeline.
    void run_script(std::string_view sql);

    bool broken() const { return broken_; }
    // It is not to be used again.
    void give_up() { broken_ = true; }
    bool in_transaction();
    int process_id() const { return process_id_; }

    // For listeners: waits for input or for `wake_fd`, then returns the notifications that have come in.
    std::vector<Notification> wait_notifications(int wake_fd, int timeout_ms);

  private:
    struct Reply {
        const Statement* statement;
        bool preparation;
    };
    struct Section {
        std::deque<Reply> replies;            // that are still to be read
        std::optional<std::size_t> attended;  // how many of them; all, unless it says otherwise
    };
    struct Finish {
        void operator()(pg_conn* connection) const;
    };

    Connection(const std::string& url, std::shared_ptr<Interrupts> interrupts, StoreDeadline until);
    void connect(const std::string& url);
    void refuse_transaction_pooler(const std::string& url);
    pg_result* next_result();
    std::vector<Rows> read_replies(std::size_t count);
    void drop_unattended();
    void wait_for(short events);
    enum class Wait : bool { ready, timed_out };
    Wait poll_until(short events, StoreDeadline until);
    void consume_input();
    [[noreturn]] void give_up(std::string_view why);
    [[noreturn]] void lose(std::string_view what);

    static constexpr std::chrono::milliseconds usual_silence{35'000};  // statements end after 30 seconds

    std::shared_ptr<Interrupts> interrupts_;
    Interrupts::Line interrupted_{interrupts_};
    StoreDeadline deadline_ = no_deadline;
    std::chrono::milliseconds longest_silence_ = usual_silence;
    std::unique_ptr<pg_conn, Finish> connection_;
    std::unordered_set<const Statement*> prepared_;
    std::unordered_set<const Statement*> preparing_;
    Section open_;
    std::deque<Section> unread_;
    int process_id_ = 0;
    bool broken_ = false;
};

}  // namespace flowfabric::postgres
