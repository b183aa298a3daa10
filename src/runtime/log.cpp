#include "runtime/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace flowfabric {
namespace {

spdlog::logger& logger() {
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>("ff", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc);
        made->flush_on(spdlog::level::warn);
        return made;
    }();
    return *instance;
}

}  // namespace

void log_info(std::string_view text) {
    logger().info(text);
}
void log_warning(std::string_view text) {
    logger().warn(text);
}
void log_error(std::string_view text) {
    logger().error(text);
}

}  // namespace flowfabric
