#include "core/command.hpp"

namespace flowfabric {

Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

Answer::Answer(const Answer& other) = default;
Answer::Answer(Answer&& other) noexcept = default;
Answer& Answer::operator=(const Answer& other) = default;
Answer& Answer::operator=(Answer&& other) noexcept = default;
Answer::~Answer() = default;

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
