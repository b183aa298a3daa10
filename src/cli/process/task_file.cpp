#include "cli/process/task_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <boost/json/object.hpp>

#include "api/type.hpp"
#include "cli/text/json_input.hpp"

namespace flowfabric::cli {

TaskFile::TaskFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ff-task.XXXXXX").string();
    const int file = ::mkstemp(pattern.data());
    if (file < 0) throw std::system_error(errno, std::generic_category(), "cannot create " + pattern);
    ::close(file);
    path_ = pattern;
}

TaskFile::~TaskFile() {
    ::unlink(path_.c_str());
}

std::optional<sdk::TaskOutcome> TaskFile::outcome(const Handle& lease) const {
    std::ifstream file(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty()) return std::nullopt;
    auto outcome = parse_task_outcome(text, lease);
    if (outcome) return *std::move(outcome);
    return sdk::TaskFailure{.reason = "FF_TASK_FILE: " + outcome.error().detail, .category = "permanent"};
}

Result<sdk::TaskOutcome> parse_task_outcome(const std::string& text, const Handle& lease) {
    auto document = parse_json(text);
    if (!document) return document.error();
    auto* fields = document->if_object();
    const auto* outcome = fields == nullptr ? nullptr : fields->if_contains("outcome");
    if (outcome == nullptr || !outcome->is_string()) return invalid_input("outcome", "is required");
    const std::string name(outcome->as_string());
    fields->erase("outcome");
    fields->insert_or_assign("lease", lease.to_string());
    if (name == "complete") {
        auto told = api::from_json<Complete>(*document);
        if (!told) return told.error();
        return sdk::TaskOutcome(sdk::TaskSuccess{told->result.value_or(""), std::move(told->result_encoding)});
    }
    if (name == "fail") {
        auto told = api::from_json<Fail>(*document);
        if (!told) return told.error();
        return sdk::TaskOutcome(sdk::TaskFailure{std::move(told->reason), std::move(told->category)});
    }
    if (name == "delay") {
        auto told = api::from_json<Delay>(*document);
        if (!told) return told.error();
        return sdk::TaskOutcome(sdk::TaskDelay{told->delay_until_ms});
    }
    if (name == "suspend") {
        auto told = api::from_json<Suspend>(*document);
        if (!told) return told.error();
        return sdk::TaskOutcome(sdk::TaskSuspension{*std::move(told)});
    }
    return invalid_input("outcome", "must be one of complete, fail, delay, suspend");
}

}  // namespace flowfabric::cli
