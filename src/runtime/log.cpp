#include "runtime/log.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace flowfabric {
namespace {

namespace json = boost::json;

struct Log {
    LogForm form = LogForm::text;
    std::shared_ptr<spdlog::logger> logger =
        std::make_shared<spdlog::logger>("ff", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());

    Log() {
        set_pattern();
        logger->flush_on(spdlog::level::warn);
    }
    void set_pattern() const {
        const auto* pattern = form == LogForm::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                                    : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v";
        logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
    }
};

Log& the_log() {
    static Log log;
    return log;
}

spdlog::level::level_enum level_of(LogLevel level) {
    constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                    spdlog::level::err};
    return levels[static_cast<std::size_t>(level)];
}

bool is_empty(const LogField& field) {
    const auto* text = std::get_if<std::string_view>(&field.value);
    return text != nullptr && text->empty();
}

json::value json_of(const LogField& field) {
    return std::visit([](const auto& value) { return json::value(value); }, field.value);
}

// One word, whatever it holds.
std::string word_of(const LogField& field) {
    if (const auto* number = std::get_if<double>(&field.value)) return fmt::format("{:.3f}", *number);
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
    const auto text = std::get<std::string_view>(field.value);
    const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isgraph(c) != 0 && c != '"' && c != '\\';
    });
    return plain ? std::string(text) : json::serialize(json::string(text));
}

}  // namespace

void set_log(LogForm form, LogLevel least) {
    the_log().form = form;
    the_log().set_pattern();
    the_log().logger->set_level(level_of(least));
}

void log_event(LogLevel level, std::string_view text, std::initializer_list<LogField> fields) {
    const Log& log = the_log();
    if (!log.logger->should_log(level_of(level))) return;
    if (log.form == LogForm::text) {
        std::string line(text);
        for (const LogField& field : fields) {
            if (!is_empty(field)) line.append(" ").append(field.name).append("=").append(word_of(field));
        }
        log.logger->log(level_of(level), line);
        return;
    }
    json::object line{{"message", text}};
    for (const LogField& field : fields) {
        if (!is_empty(field)) line[field.name] = json_of(field);
    }
    const std::string object = json::serialize(line);
    // The pattern has the braces, with the time and the level.
    log.logger->log(level_of(level), std::string_view(object).substr(1, object.size() - 2));
}

void log_info(std::string_view text) {
    log_event(LogLevel::info, text, {});
}
void log_warning(std::string_view text) {
    log_event(LogLevel::warn, text, {});
}
void log_error(std::string_view text) {
    log_event(LogLevel::error, text, {});
}

}  // namespace flowfabric
