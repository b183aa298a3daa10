#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <vector>

#include "flowfabric/operations.hpp"
#include "flowfabric/result.hpp"

namespace flowfabric {

// The interface through which programs and workers use FlowFabric, wherever the engine runs; `Engine` implements it in
// the caller's own process. Members may be called from any thread. A completion is called exactly once, and only after
// the commit that contains its answer.
class Client {
  public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    // Returns at once. The completion runs on the client's executor.
    template <CommandType C>
    void submit(C command, Completion<C> completion);

    // Returns at once. The completion bypasses the executor: it runs on the thread that has the answer, possibly the
    // calling one before this call returns. It holds up the client meanwhile, so it may only pass the answer on; it
    // must neither wait nor call this client.
    template <CommandType C>
    void submit_past_executor(C command, Completion<C> completion);

    // Submits and waits for the answer.
    template <CommandType C>
    Result<typename C::Answer> call(C command);

    // Submits all commands and waits for all answers, which come in the order of the commands. Each command succeeds or
    // fails on its own.
    template <CommandType C>
    std::vector<Result<typename C::Answer>> run_all(std::vector<C> commands);

    template <QueryType Q>
    Result<typename Q::Answer> read(Q query);

  protected:
    enum class AnswerOn : std::uint8_t { executor, any_thread };
    // Takes the `Answer` of the command, or the error.
    using Reply = std::function<void(Result<std::any>)>;

  private:
    virtual void submit_any(Commands command, Reply reply, AnswerOn where) = 0;
    // Returns the `Answer` of the query.
    virtual Result<std::any> read_any(Queries query) = 0;
};

}  // namespace flowfabric
