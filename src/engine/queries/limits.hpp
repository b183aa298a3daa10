#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/names.hpp"
#include "core/command/admission.hpp"
#include "flowfabric/field.hpp"

// The front door of reads: the limits of a query are those that its fields are listed with.
namespace flowfabric {

template <class Query>
class LimitChecks {
  public:
    explicit LimitChecks(const Query& query) : query_(query) {}

    template <class Access>
    void operator()(std::string_view name, Access access, const FieldRule& rule, std::string_view) {
        check(name, std::invoke(access, query_), rule);
    }
    const std::optional<EngineError>& fault() const { return checks_.fault(); }

  private:
    template <class T>
    void check(std::string_view name, const T& value, const FieldRule& rule) {
        if constexpr (std::is_enum_v<T>) {
            checks_.require(is_known(value), name, "is not one of its values");
        } else if constexpr (std::integral<T>) {
            if (rule.max != FieldRule::no_limit) checks_(check_number(name, value, rule));
        }
    }
    template <class T>
    void check(std::string_view name, const std::optional<T>& value, const FieldRule& rule) {
        if (value) check(name, *value, rule);
    }
    template <class T>
    void check(std::string_view name, const std::vector<T>& items, const FieldRule& rule) {
        const bool fits = items.size() >= rule.min_items && items.size() <= rule.max_items;
        checks_.require(
            fits, name,
            "must have " + std::to_string(rule.min_items) + " to " + std::to_string(rule.max_items) + " items");
        for (const T& item : items) check(name, item, rule);
    }
    void check(std::string_view name, const std::string& text, const FieldRule& rule) {
        checks_(check_form(name, text, rule));
    }

    static Result<void> check_number(std::string_view name, std::uint64_t number, const FieldRule& rule) {
        if (rule.form == FieldRule::Form::partition) return check_partition(name, static_cast<std::uint16_t>(number));
        return check_range(name, number, rule.min, rule.max);
    }
    static Result<void> check_form(std::string_view name, const std::string& text, const FieldRule& rule) {
        using Form = FieldRule::Form;
        switch (rule.form) {
            case Form::identity:
                return check_identity(name, text);
            case Form::lane:
                return check_lane_id(text);
            case Form::line:
                return check_line(name, text, rule.max);
            case Form::text:
            case Form::secret:
                return check_text(name, text, rule.max);
            case Form::tag_key:
                return check_tag_key(text);
            case Form::value:
            case Form::partition:
            case Form::payload:
            case Form::cursor:
                return {};
        }
        return {};
    }

    const Query& query_;
    Checks checks_;
};

template <class Query>
Result<void> check_limits(const Query& query) {
    LimitChecks<Query> checks(query);
    if constexpr (requires { Query::fields(checks); }) Query::fields(checks);
    if (checks.fault()) return *checks.fault();
    return {};
}

}  // namespace flowfabric
