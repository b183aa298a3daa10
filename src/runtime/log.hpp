#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

// Lines for an operator at night, on stderr: what failed, which id, what happens next.
namespace flowfabric {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogForm : std::uint8_t { text, json };

// What is logged from now on. A program sets it before it starts threads; without it: text, and info or worse.
void set_log(LogForm form, LogLevel least);

void log_info(std::string_view text);
void log_warning(std::string_view text);
void log_error(std::string_view text);

struct LogField {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, double> value;
};
// A line that programs read as well. No value is a secret; empty ones are left out.
void log_event(LogLevel level, std::string_view text, std::initializer_list<LogField> fields);

}  // namespace flowfabric
