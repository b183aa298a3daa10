#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <boost/json/serialize.hpp>

namespace flowfabric::cli {
namespace {

// Code points, which is what columns are aligned by.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += cells[i];
        if (i + 1 < cells.size()) line.append(widths[i] - width_of(cells[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

}  // namespace

void Table::print() const {
    std::vector<std::size_t> widths(headers_.size());
    std::transform(headers_.begin(), headers_.end(), widths.begin(), width_of);
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
    }
    print_line(aligned(headers_, widths));
    for (const auto& row : rows_) print_line(aligned(row, widths));
}

void Facts::add(std::string name, std::string value) {
    if (!value.empty()) facts_.emplace_back(std::move(name), std::move(value));
}

void Facts::print() const {
    std::size_t width = 0;
    for (const auto& [name, value] : facts_) width = std::max(width, width_of(name));
    for (const auto& [name, value] : facts_) print_line(aligned({name, value}, {width, 0}));
}

void print_line(std::string_view text) {
    std::cout << text << '\n';
}

void print_json(const boost::json::value& value) {
    std::cout << boost::json::serialize(value) << '\n';
}

int fail_with(const EngineError& error, bool json) {
    std::cout.flush();
    if (json) {
        const boost::json::object object{{"error", name_of(error.kind)}, {"detail", error.detail}};
        std::cerr << boost::json::serialize(object) << '\n';
    } else {
        std::cerr << "ff: " << name_of(error.kind) << ": " << printable(error.detail) << '\n';
    }
    return 1;
}

EngineError execution_not_found(std::string id) {
    return {.kind = ErrorKind::execution_not_found, .detail = std::move(id), .not_active = {}};
}

EngineError flow_not_found(std::string id) {
    return {.kind = ErrorKind::flow_not_found, .detail = std::move(id), .not_active = {}};
}

std::string iso_time(std::int64_t at_ms) {
    auto seconds = static_cast<std::time_t>(at_ms / 1000);
    auto millis = at_ms % 1000;
    if (millis < 0) {
        millis += 1000;
        --seconds;
    }
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, millis);
}

std::string iso_time(std::optional<std::int64_t> at_ms) {
    return at_ms ? iso_time(*at_ms) : std::string();
}

std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            shown += "\\n";
        } else if (c == '\t') {
            shown += "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            shown += fmt::format("\\x{:02x}", byte);
        } else {
            shown += c;
        }
    }
    return shown;
}

bool is_utf8(std::string_view bytes) {
    struct Form {
        unsigned char mask, lead;
        std::uint32_t smallest;
    };
    static constexpr std::array<Form, 4> forms{
        {{0x80, 0x00, 0x0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}}};

    while (!bytes.empty()) {
        const auto lead = static_cast<unsigned char>(bytes.front());
        std::size_t length = 0;
        while (length < forms.size() && (lead & forms[length].mask) != forms[length].lead) ++length;
        if (length == forms.size() || length >= bytes.size()) return false;
        std::uint32_t point = lead & static_cast<unsigned char>(~forms[length].mask);
        for (std::size_t i = 1; i <= length; ++i) {
            const auto next = static_cast<unsigned char>(bytes[i]);
            if ((next & 0xC0U) != 0x80U) return false;
            point = point << 6U | (next & 0x3FU);
        }
        const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
        if (point < forms[length].smallest || point > 0x10FFFF || surrogate) return false;
        bytes.remove_prefix(length + 1);
    }
    return true;
}

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int written =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(written));
    return text;
}

boost::json::object json_bytes(std::string_view bytes) {
    if (is_utf8(bytes)) return {{"encoding", "utf-8"}, {"data", bytes}};
    return {{"encoding", "base64"}, {"data", base64(bytes)}};
}

}  // namespace flowfabric::cli
