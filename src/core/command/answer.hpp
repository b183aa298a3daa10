#pragma once

#include <any>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "flowfabric/ids.hpp"

namespace flowfabric {

// What a command comes to, of the type that its public struct names as Answer.
class Answer {
  public:
    // The type is spelled out, so that an alternative of a variant is not taken for the variant.
    template <class T>
    static Answer of(std::type_identity_t<T> value) {
        return Answer(std::any(std::in_place_type<T>, std::move(value)));
    }

    template <class T>
    const T* get_if() const {
        return std::any_cast<T>(&value_);
    }
    template <class T>
    T* get_if() {
        return std::any_cast<T>(&value_);
    }
    // The answer is a T.
    template <class T>
    const T& as() const& {
        return *get_if<T>();
    }
    template <class T>
    T& as() & {
        return *get_if<T>();
    }
    template <class T>
    T&& as() && {
        return std::move(*get_if<T>());
    }

    std::any take() && { return std::move(value_); }

  private:
    explicit Answer(std::any value) : value_(std::move(value)) {}

    std::any value_;
};

// What a command turned out to need besides. Nothing is changed, and it is decided again with these at hand.
struct MoreRows {
    std::optional<FlowId> flow_id = {};
    std::vector<ExecutionId> executions = {};
    std::vector<std::int32_t> signals = {};  // seqs, with their payloads
    std::vector<BudgetId> budgets = {};      // above the one that it names, the root first

    bool operator==(const MoreRows&) const = default;
};

}  // namespace flowfabric
