#include <boost/json.hpp>

#include "core/base/names.hpp"
#include "core/command/command.hpp"
#include "core/execution/creation.hpp"

namespace flowfabric {
namespace {

Result<Tags> tags_of_submission(const Json& json) {
    boost::system::error_code failure;
    const auto value = boost::json::parse(json.text, failure);
    if (failure || !value.is_object()) return invalid_input("tags", "not a JSON object");
    Tags tags;
    for (const auto& [key, text] : value.get_object()) {
        if (auto checked = check_tag_key(key); !checked) return checked.error();
        if (!text.is_string()) return invalid_input("tags." + std::string(key), "not a string");
        tags.emplace(std::string(key), std::string(text.get_string()));
    }
    return tags;
}

Result<CreateExecution> create_of(const Submission& submission) {
    auto tags = tags_of_submission(submission.tags);
    if (!tags) return tags.error();
    CreateExecution create{.execution_id = submission.execution_id,
                           .namespace_name = submission.namespace_name,
                           .lane_id = submission.lane_id,
                           .execution_kind = submission.execution_kind,
                           .input_payload = submission.payload,
                           .payload_encoding = submission.payload_encoding,
                           .priority = submission.priority,
                           .creator_identity = submission.creator_identity,
                           .idempotency_key = submission.idempotency_key.value_or(std::string{}),
                           .tags = std::move(*tags),
                           .delay_until_ms = submission.delay_until_ms,
                           .execution_deadline_at_ms = submission.execution_deadline_at_ms};
    if (submission.policy) {
        auto policy = ExecutionPolicy::parse(submission.policy->text);
        if (!policy) return policy.error();
        create.policy = std::move(*policy);
    }
    return create;
}

// What identifies a refused submission, as far as it is fit to be stored.
AdmittedCreate refused(const Submission& submission, const EngineError& error) {
    AdmittedCreate create;
    ExecutionRow& row = create.row;
    row.id = submission.execution_id;
    row.namespace_name = check_identity("namespace", submission.namespace_name) ? submission.namespace_name : "default";
    row.lane_id = check_lane_id(submission.lane_id) ? submission.lane_id : "default";
    if (check_text("execution_kind", submission.execution_kind, max_label_bytes)) {
        row.execution_kind = submission.execution_kind;
    }
    create.refusal = to_string(error);
    return create;
}

}  // namespace

Command admit_submission(const Submission& submission, const Settings& settings) {
    const IdSource none_needed{0, 0, 0};  // the submission has its id
    const auto admitted = [&]() -> Result<AdmittedCreate> {
        auto create = create_of(submission);
        if (!create) return create.error();
        return admit_creation(std::move(*create), settings, none_needed);
    }();
    AdmittedCreate create = admitted ? *admitted : refused(submission, admitted.error());
    create.submission_id = submission.submission_id;
    return command_of(std::move(create));
}

}  // namespace flowfabric
