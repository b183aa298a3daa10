#include "core/command/command.hpp"

namespace flowfabric {

template <class Kinds>
CompiledOnce<Kinds>::CompiledOnce(const CompiledOnce& other) = default;
template <class Kinds>
CompiledOnce<Kinds>::CompiledOnce(CompiledOnce&& other) noexcept = default;
template <class Kinds>
CompiledOnce<Kinds>& CompiledOnce<Kinds>::operator=(const CompiledOnce& other) = default;
template <class Kinds>
CompiledOnce<Kinds>& CompiledOnce<Kinds>::operator=(CompiledOnce&& other) noexcept = default;
template <class Kinds>
CompiledOnce<Kinds>::~CompiledOnce() = default;

template struct CompiledOnce<CommandKinds>;
template struct CompiledOnce<AnswerKinds>;

std::optional<ExecutionId> subject_of(const Command& command) {
    return std::visit(
        [](const auto& c) -> std::optional<ExecutionId> {
            if constexpr (requires { c.lease; }) {
                return c.lease.execution_id;
            } else if constexpr (requires { c.execution_id; }) {
                return c.execution_id;
            } else if constexpr (requires { c.row.id; }) {
                return c.row.id;
            } else {
                return std::nullopt;
            }
        },
        command);
}

void widen(Command& command, const MoreRows& more) {
    std::visit(
        [&](auto& c) {
            if constexpr (requires { c.widen(more); }) c.widen(more);
        },
        command);
}

const CommandTraits& traits_of(const Command& command) {
    return std::visit([](const auto& c) -> const CommandTraits& { return c.traits; }, command);
}

}  // namespace flowfabric
