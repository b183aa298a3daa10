#include "api/routes/task_form.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

#include "api/openapi/answers.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

constexpr std::pair<std::string_view, std::string_view> task_names[] = {
    {"handle", "lease"}, {"attempt_index", "attempt"}, {"execution_kind", "kind"}};

constexpr std::uint64_t longest_claim_wait_ms = 50'000;

}  // namespace

std::optional<Problem> limit_claim_wait(json::object& claim, std::string_view name, std::uint64_t otherwise) {
    json::value& wait = claim["max_wait_ms"];
    if (wait.is_null()) wait = otherwise;
    boost::system::error_code failure;
    const auto wanted = wait.to_number<std::uint64_t>(failure);
    if (failure) return unreadable(422, invalid_input(name, "must be an integer that is not negative"));
    wait = std::min(wanted, longest_claim_wait_ms);
    return std::nullopt;
}

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
