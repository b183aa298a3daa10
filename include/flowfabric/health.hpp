#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "flowfabric/field.hpp"
#include "flowfabric/state.hpp"

// The health of a store and of an engine, for operators.
namespace flowfabric {

// One result of an examination of a store.
struct Finding {
    enum class Level : std::uint8_t { fine, advice, danger };
    static constexpr std::string_view type_name = "Finding";

    Level level = Level::fine;
    std::string check;
    std::string detail;
    std::string remedy;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("level", &Finding::level, field::optional, "How bad it is.");
        visit("check", &Finding::check, field::optional, "What was looked at.");
        visit("detail", &Finding::detail, field::optional, "What was found.");
        visit("remedy", &Finding::remedy, field::optional, "What to do about it; empty when all is well.");
    }
};

template <>
inline constexpr std::array enum_names<Finding::Level> = std::to_array<std::string_view>({"ok", "advice", "danger"});

// What a reconciler of this engine has done since it was opened.
struct ReconcilerView {
    static constexpr std::string_view type_name = "ReconcilerView";

    std::string name;
    std::uint64_t runs = 0;
    std::uint64_t processed = 0;
    std::uint64_t errors = 0;
    std::optional<std::int64_t> last_run_at_ms;
    std::string last_error;
    std::int64_t lag_ms = 0;

    template <class Visit>
    static void fields(Visit&& visit) {
        visit("name", &ReconcilerView::name, field::optional, "The reconciler's name.");
        visit("runs", &ReconcilerView::runs, field::optional, "How often it ran.");
        visit("processed", &ReconcilerView::processed, field::optional, "How many of its commands changed something.");
        visit("errors", &ReconcilerView::errors, field::optional, "How many runs or commands failed.");
        visit("last_run_at_ms", &ReconcilerView::last_run_at_ms, field::optional,
              "When it last ran, on the store's clock.");
        visit("last_error", &ReconcilerView::last_error, field::optional, "How it last failed; empty: it never did.");
        visit("lag_ms", &ReconcilerView::lag_ms, field::optional,
              "How long the oldest due row had been due at the last run.");
    }
};

}  // namespace flowfabric
