#include "api/routes/task_form.hpp"

#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

#include "api/openapi/answers.hpp"

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

json::object task_schema(Schemas& schemas) {
    return schemas.refer("Task", [&] { return renamed(list_items("claim", "executions"), task_names, schemas); });
}

void give_back(Client& client, const json::array& tasks) {
    for (const json::value& task : tasks) {
        auto lease = Handle::parse(std::string_view(task.at("lease").as_string()));
        client.submit_any(
            Commands(std::in_place_type<ReleaseUnstarted>, ReleaseUnstarted{.lease = *std::move(lease)}),
            [](const Result<std::any>&) {}, Client::AnswerOn::executor);
    }
}

}  // namespace flowfabric::api
