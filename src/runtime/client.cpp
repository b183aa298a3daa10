#include "flowfabric/client.hpp"

#include <atomic>
#include <future>
#include <tuple>
#include <utility>

namespace flowfabric {
namespace {

template <class Asked>
Result<typename Asked::Answer> typed(Result<std::any> answer) {
    if (!answer) return std::move(answer).error();
    return std::any_cast<typename Asked::Answer>(*std::move(answer));
}

template <CommandType C>
auto untyped(Completion<C> completion) {
    return [completion = std::move(completion)](Result<std::any> answer) { completion(typed<C>(std::move(answer))); };
}

}  // namespace

template <CommandType C>
void Client::submit(C command, Completion<C> completion) {
    submit_any(std::move(command), untyped<C>(std::move(completion)), AnswerOn::executor);
}

template <CommandType C>
void Client::submit_past_executor(C command, Completion<C> completion) {
    submit_any(std::move(command), untyped<C>(std::move(completion)), AnswerOn::any_thread);
}

template <CommandType C>
Result<typename C::Answer> Client::call(C command) {
    std::promise<Result<std::any>> promise;
    auto answer = promise.get_future();
    submit_any(
        std::move(command), [&promise](Result<std::any> result) { promise.set_value(std::move(result)); },
        AnswerOn::any_thread);
    return typed<C>(answer.get());
}

template <CommandType C>
std::vector<Result<typename C::Answer>> Client::run_all(std::vector<C> commands) {
    using Answers = std::vector<Result<typename C::Answer>>;
    if (commands.empty()) return {};
    Answers answers(commands.size(), EngineError{});
    std::atomic<std::size_t> open = commands.size();
    std::promise<void> all;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        submit_any(
            std::move(commands[i]),
            [&, i](Result<std::any> answer) {
                answers[i] = typed<C>(std::move(answer));
                if (open.fetch_sub(1) == 1) all.set_value();
            },
            AnswerOn::any_thread);
    }
    all.get_future().wait();
    return answers;
}

template <QueryType Q>
Result<typename Q::Answer> Client::read(Q query) {
    return typed<Q>(read_any(std::move(query)));
}

namespace detail {

// The definitions stand in this file alone, and are wanted for every command and every query.
template <class AnyOfThem>
struct ForEveryCommand;
template <class... C>
struct ForEveryCommand<std::variant<C...>> {
    static constexpr auto submits = std::tuple{&Client::submit<C>...};
    static constexpr auto direct_submits = std::tuple{&Client::submit_past_executor<C>...};
    static constexpr auto calls = std::tuple{&Client::call<C>...};
    static constexpr auto runs = std::tuple{&Client::run_all<C>...};
};
template struct ForEveryCommand<Commands>;

template <class AnyOfThem>
struct ForEveryQuery;
template <class... Q>
struct ForEveryQuery<std::variant<Q...>> {
    static constexpr auto reads = std::tuple{&Client::read<Q>...};
};
template struct ForEveryQuery<Queries>;

}  // namespace detail
}  // namespace flowfabric
