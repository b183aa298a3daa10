#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <vector>

#include "flowfabric/operations.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// What programs and workers ask of FlowFabric, wherever the engine runs: `Engine` is one in their own process. Members
// may be called from any thread. A completion is called exactly once, and only after the commit that contains its
// answer.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    // The completion runs where the client's owner wants its code to run.
    template <CommandType C>
    void submit(C command, Completion<C> completion);

    // Likewise, for answers that no executor may hold up: the completion runs on whichever thread has the answer, which
    // may be this one, before the call returns. The client stands still there meanwhile, so it may only pass the answer
    // on: no wait, and no call of this client.
    template <CommandType C>
    void submit_past_executor(C command, Completion<C> completion);

    // Submits and waits for the answer.
    template <CommandType C>
    Result<typename C::Answer> call(C command);

    // Submits all and waits for all; answers stand in the order of the commands. Each succeeds or fails on its own.
    template <CommandType C>
    std::vector<Result<typename C::Answer>> run_all(std::vector<C> commands);

    template <QueryType Q>
    Result<typename Q::Answer> read(Q query);

  protected:
    enum class AnswerOn : std::uint8_t { executor, any_thread };
    // What it is given holds the `Answer` of the command.
    using Reply = std::function<void(Result<std::any>)>;

  private:
    virtual void submit_any(Commands command, Reply reply, AnswerOn where) = 0;
    // Likewise the `Answer` of the query.
    virtual Result<std::any> read_any(Queries query) = 0;
};

}  // namespace flowfabric
