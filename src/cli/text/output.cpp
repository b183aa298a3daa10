#include "cli/text/output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include "api/json_text.hpp"
#include "api/type.hpp"

namespace flowfabric::cli {
namespace {

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Code points, which is what columns are aligned by.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// The length of the UTF-8 character at the beginning of the text; 0: there is none.
std::size_t character_length(std::string_view text) {
    struct Form {
        unsigned char mask, lead;
        std::uint32_t smallest;
    };
    static constexpr std::array<Form, 4> forms{
        {{0x80, 0x00, 0x0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}}};

    const auto lead = static_cast<unsigned char>(text.front());
    std::size_t following = 0;
    while (following < forms.size() && (lead & forms[following].mask) != forms[following].lead) ++following;
    if (following == forms.size() || following >= text.size()) return 0;
    std::uint32_t point = lead & static_cast<unsigned char>(~forms[following].mask);
    for (std::size_t i = 1; i <= following; ++i) {
        if (!is_continuation(text[i])) return 0;
        point = point << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
    }
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < forms[following].smallest || point > 0x10FFFF || surrogate ? 0 : following + 1;
}

int color_slot() {
    static const int slot = std::ios_base::xalloc();
    return slot;
}

// The terminal's code for a state; empty: none.
std::string_view code_for(std::string_view value) {
    static constexpr std::string_view red = "\x1b[31m";
    static constexpr std::string_view green = "\x1b[32m";
    static constexpr std::string_view yellow = "\x1b[33m";
    static constexpr std::string_view blue = "\x1b[34m";
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 17> codes{{{"completed", green},
                                                                                          {"ended_success", green},
                                                                                          {"ok", green},
                                                                                          {"failed", red},
                                                                                          {"ended_failure", red},
                                                                                          {"expired", red},
                                                                                          {"DANGER", red},
                                                                                          {"cancelled", yellow},
                                                                                          {"ended_cancelled", yellow},
                                                                                          {"skipped", yellow},
                                                                                          {"advice", yellow},
                                                                                          {"paused", yellow},
                                                                                          {"suspended", yellow},
                                                                                          {"disabled", yellow},
                                                                                          {"active", blue},
                                                                                          {"started", blue},
                                                                                          {"resumable", blue}}};
    const auto found = std::ranges::find(codes, value, [](const auto& code) { return code.first; });
    return found == codes.end() ? std::string_view() : found->second;
}

std::string colored(const std::string& text, std::string_view code) {
    static constexpr std::string_view plain = "\x1b[0m";
    if (code.empty() || std::cout.iword(color_slot()) == 0) return text;
    return std::string(code) + text + std::string(plain);
}

std::string heading(const std::string& text) {
    return text.empty() ? text : colored(text, "\x1b[1m");
}

std::string state_or_text(const std::string& text) {
    return colored(text, code_for(text));
}

using Style = std::string (*)(const std::string& cell);

std::string aligned(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, Style style) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += style(cells[i]);
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
    print_line(aligned(headers_, widths, heading));
    for (const auto& row : rows_) print_line(aligned(row, widths, state_or_text));
}

void Facts::add(std::string name, std::string value) {
    if (!value.empty()) facts_.emplace_back(std::move(name), std::move(value));
}

void Facts::print() const {
    std::size_t width = 0;
    for (const auto& [name, value] : facts_) width = std::max(width, width_of(name));
    for (const auto& [name, value] : facts_) print_line(aligned({name, value}, {width, 0}, state_or_text));
}

void set_color(Color color) {
    const char* refused = std::getenv("NO_COLOR");
    const bool wanted = isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0');
    std::cout.iword(color_slot()) = color == Color::always || (color == Color::automatic && wanted) ? 1 : 0;
}

void print_line(std::string_view text) {
    std::cout << text << '\n';
}

void print_json(const boost::json::value& value) {
    print_line(api::json_text(value));
}

int fail_with(const EngineError& error, bool json, std::string_view program) {
    std::cout.flush();
    if (json) {
        const boost::json::object object{{"error", name_of(error.kind)}, {"detail", error.detail}};
        std::cerr << api::json_text(object) << '\n';
    } else {
        std::cerr << program << ": " << name_of(error.kind) << ": " << one_line(error.detail) << '\n';
    }
    return 1;
}

void print_signal_outcome(const SignalOutcome& outcome, bool json) {
    if (json) {
        print_json(api::to_json(outcome));
    } else if (const auto* accepted = std::get_if<SignalAccepted>(&outcome)) {
        print_line(std::string(to_string(accepted->effect)));
    } else {
        print_line("it was sent before");
    }
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

std::string one_line(std::string_view text) {
    std::istringstream lines{std::string(text)};
    std::string joined;
    for (std::string line; std::getline(lines, line);) {
        constexpr auto blanks = " \t\r";
        const auto start = line.find_first_not_of(blanks);
        if (start == std::string::npos) continue;
        if (!joined.empty()) joined += "; ";
        joined += printable(line.substr(start, line.find_last_not_of(blanks) + 1 - start));
    }
    return joined;
}

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t length = character_length(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

std::string text_tail(std::string_view bytes, std::size_t limit) {
    bytes = bytes.substr(0, bytes.find_last_not_of(" \t\r\n") + 1);
    if (bytes.size() > limit) bytes.remove_prefix(bytes.size() - limit);
    while (!bytes.empty() && is_continuation(bytes.front())) bytes.remove_prefix(1);
    std::string text;
    for (std::size_t length = 0; !bytes.empty(); bytes.remove_prefix(std::max<std::size_t>(length, 1))) {
        length = bytes.front() == '\0' ? 0 : character_length(bytes);
        text += length == 0 ? "\xEF\xBF\xBD" : bytes.substr(0, length);
    }
    std::size_t begin = text.size() > limit ? text.size() - limit : 0;
    while (begin < text.size() && is_continuation(text[begin])) ++begin;
    return text.substr(begin);
}

}  // namespace flowfabric::cli
