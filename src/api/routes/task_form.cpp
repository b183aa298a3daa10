#include "api/routes/task_form.hpp"

#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::pair<std::string_view, std::string_view> task_names[] = {
    {"handle", "lease"}, {"attempt_index", "attempt"}, {"execution_kind", "kind"}};

}  // namespace

json::array tasks_of(json::value claimed) {
    json::array tasks = std::move(claimed.at("executions").as_array());
    for (json::value& task : tasks) {
        json::object& fields = task.as_object();
        for (const auto& [from, to] : task_names) {
            const auto field = fields.find(from);
            json::value value = std::move(field->value());
            fields.stable_erase(field);
            fields[to] = std::move(value);
        }
    }
    return tasks;
}

}  // namespace flowfabric::api
