#include "bench/report.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "api/json_text.hpp"
#include "cli/text/output.hpp"

namespace flowfabric::bench {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 4> percentiles{"p50_ms", "p95_ms", "p99_ms", "max_ms"};

std::string cell_of(const json::value& value) {
    if (value.is_null()) return "-";
    return value.is_string() ? std::string(value.get_string()) : api::json_text(value);
}

struct Flattened {
    std::vector<std::string> names;
    std::vector<std::string> cells;
    std::vector<std::vector<std::string>> latencies;
};

void flatten(const json::object& object, const std::string& path, Flattened& out) {
    const bool has_latencies = !path.empty() && object.contains(percentiles.front());
    if (has_latencies) {
        auto& row = out.latencies.emplace_back(std::vector{path});
        for (const auto name : percentiles) row.push_back(cell_of(object.at(name)));
    }
    for (const auto& [key, value] : object) {
        if (has_latencies && std::ranges::find(percentiles, std::string_view(key)) != percentiles.end()) continue;
        auto name = path.empty() ? std::string(key) : path + '.' + std::string(key);
        if (const auto* part = value.if_object()) {
            flatten(*part, name, out);
        } else {
            out.names.push_back(std::move(name));
            out.cells.push_back(cell_of(value));
        }
    }
}

void print_tables(const std::vector<json::object>& reports) {
    std::vector<Flattened> rows(reports.size());
    for (std::size_t i = 0; i < reports.size(); ++i) flatten(reports[i], "", rows[i]);
    cli::Table fields(rows.front().names);
    cli::Table latencies({"latency", "p50_ms", "p95_ms", "p99_ms", "max_ms"});
    bool any_latencies = false;
    for (Flattened& row : rows) {
        fields.add(std::move(row.cells));
        any_latencies = any_latencies || !row.latencies.empty();
        for (auto& latency : row.latencies) latencies.add(std::move(latency));
    }
    fields.print();
    if (!any_latencies) return;
    cli::print_line("");
    latencies.print();
}

}  // namespace

void print_reports(const std::vector<json::object>& reports, bool json) {
    if (!json) return print_tables(reports);
    for (const auto& report : reports) cli::print_json(report);
}

int fail_with(const EngineError& error, bool json) {
    return cli::fail_with(error, json, "ff-bench");
}

}  // namespace flowfabric::bench
