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

// The variant's converting constructor would weigh all alternatives for each of them.
template <CommandType C>
Commands any_of(C command) {
    return Commands(std::in_place_type<C>, std::move(command));
}

}  // namespace

template <CommandType C>
void Client::submit(C command, Completion<C> completion) {
    submit_any(any_of(std::move(command)), untyped<C>(std::move(completion)), AnswerOn::executor);
}

template <CommandType C>
void Client::submit_past_executor(C command, Completion<C> completion) {
    submit_any(any_of(std::move(command)), untyped<C>(std::move(completion)), AnswerOn::any_thread);
}

template <CommandType C>
Result<typename C::Answer> Client::call(C command) {
    return typed<C>(call_any(any_of(std::move(command))));
}

Result<std::any> Client::call_any(Commands command) {
    std::promise<Result<std::any>> promise;
    auto answer = promise.get_future();
    submit_any(
        std::move(command), [&promise](Result<std::any> result) { promise.set_value(std::move(result)); },
        AnswerOn::any_thread);
    return answer.get();
}

template <CommandType C>
std::vector<Result<typename C::Answer>> Client::run_all(std::vector<C> commands) {
    std::vector<Commands> untyped_commands;
    untyped_commands.reserve(commands.size());
    for (C& command : commands) untyped_commands.push_back(any_of(std::move(command)));
    std::vector<Result<typename C::Answer>> answers;
    answers.reserve(commands.size());
    for (auto& answer : run_all_any(std::move(untyped_commands))) answers.push_back(typed<C>(std::move(answer)));
    return answers;
}

std::vector<Result<std::any>> Client::run_all_any(std::vector<Commands> commands) {
    if (commands.empty()) return {};
    std::vector<Result<std::any>> answers(commands.size(), Result<std::any>(EngineError{}));
    std::atomic<std::size_t> open = commands.size();
    std::promise<void> all;
    for (std::size_t i = 0; i < commands.size(); ++i) {
        submit_any(
            std::move(commands[i]),
            [&, i](Result<std::any> answer) {
                answers[i] = std::move(answer);
                if (open.fetch_sub(1) == 1) all.set_value();
            },
            AnswerOn::any_thread);
    }
    all.get_future().wait();
    return answers;
}

template <QueryType Q>
Result<typename Q::Answer> Client::read(Q query) {
    return typed<Q>(read_any(Queries(std::in_place_type<Q>, std::move(query))));
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
