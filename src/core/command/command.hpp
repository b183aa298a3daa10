#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/id_source.hpp"
#include "core/command/answer.hpp"
#include "core/command/decision.hpp"
#include "core/command/named_rows.hpp"
#include "flowfabric/result.hpp"

// Commands as the engine carries them: past the front door, so that every field is within its limits, handles are
// decoded and ids are fixed. `admit` is that door. A command's own file holds its body, its admission and its decision.
namespace flowfabric {

// Which batch a command gets into first.
enum class Urgency : std::uint8_t {
    urgent,  // work goes on or stops with it
    claim,
    bulk,
};

struct CommandTraits {
    std::string_view name;
    Urgency urgency = Urgency::urgent;
    bool by_timer = false;       // a reconciler's: an execution that is gone is no error
    bool releases_work = false;  // it can make an execution claimable that exists already
    bool on_tables = false;      // it is about rows of side tables alone, on which settings do not bear
};

struct TailStream;
struct AdmittedClaim;
struct AdmittedCreate;

// A command is given once and may be decided several times: a batch that could not commit decides it again.
class CommandBody {
  public:
    CommandBody() = default;
    CommandBody(const CommandBody&) = delete;
    CommandBody& operator=(const CommandBody&) = delete;
    virtual ~CommandBody() = default;

    virtual CommandTraits traits() const = 0;
    // About how much memory it holds, with all that its caller put into it.
    virtual std::size_t bytes() const = 0;
    // The executions that it needs locked.
    virtual std::span<const ExecutionId> executions() const = 0;
    // What it needs besides them.
    virtual void name_rows(NamedRows& rows) const = 0;
    // A pure function of the rows, the command and the store's time. An error leaves the rows as they were, except that
    // what has lapsed is ended on the way: a lease, a grant, a pending waitpoint. The answer may be MoreRows.
    virtual Result<Answer> decide(BatchRows& rows, DecisionContext& context) const = 0;

    // Takes up what its decision asked for.
    virtual void widen(const MoreRows&) {}
    // How many rows it may touch.
    virtual std::size_t rows() const { return executions().empty() ? 1 : executions().size(); }
    // Executions that it creates, if nothing speaks against it. Their classes are set when the batch is routed.
    virtual std::span<AdmittedCreate> creations() { return {}; }
    // Not null for a claim that takes any work it covers, and may wait for some.
    virtual const AdmittedClaim* claim() const { return nullptr; }
    // Of a claim: whether it looks on with such an answer.
    virtual bool found_nothing(const Answer&) const { return false; }
    // Not null for one that waits for frames of a stream, which no batch takes.
    virtual const TailStream* tail() const { return nullptr; }
    // The flow of which it decides on all waiting members.
    virtual std::optional<FlowKey> children_of() const { return std::nullopt; }
    // Whether an execution of it that is not there is looked for in the inbox.
    virtual bool looks_in_inbox() const { return !traits().by_timer; }
    // What it is about, for logs.
    virtual std::string subject() const;
};

// Copies share one body.
class Command {
  public:
    Command() = default;
    template <class Body, class... Arguments>
    static Command make(Arguments&&... arguments) {
        return Command(std::make_shared<Body>(std::forward<Arguments>(arguments)...));
    }

    CommandBody* operator->() const { return body_.get(); }
    CommandBody& operator*() const { return *body_; }

  private:
    explicit Command(std::shared_ptr<CommandBody> body) : body_(std::move(body)) {}

    std::shared_ptr<CommandBody> body_;
};

// The front door. There is one for each of the public `Commands`, in the file of the command.
template <class C>
Result<Command> admit(C command, const Settings& settings, const IdSource& ids);

}  // namespace flowfabric
