#include "core/command/command_bytes.hpp"

#include <map>

namespace flowfabric {
namespace {

template <class T>
concept RowType = requires(const T& row) { visit_columns(row, [](const char*, const auto&) {}); };

// Adds up what values hold outside of themselves.
class Contents {
  public:
    template <class... Values>
    explicit Contents(const Values&... values) {
        (add(values), ...);
    }

    std::size_t bytes() const { return bytes_; }

    template <class T>
    void add(const T& value) {
        if constexpr (RowType<T>) {
            visit_columns(value, [this](const char*, const auto& field) { add(field); });
        }
    }
    void add(const std::string& text) { bytes_ += text.size(); }
    void add(const Json& json) { add(json.text); }
    void add(const ExecutionRow& row) {
        visit_execution_columns(row, [this](const char*, const auto& field, ColumnUse) { add(field); });
    }
    void add(const AdmittedCreate& create) {
        add(create.row);
        add(create.input);
        add(create.refusal);
        if (create.idempotency) bytes_ += create.idempotency->namespace_name.size() + create.idempotency->key.size();
    }
    template <class T>
    void add(const std::optional<T>& value) {
        if (value) add(*value);
    }
    template <class T>
    void add(const std::vector<T>& values) {
        bytes_ += values.size() * sizeof(T);
        for (const T& value : values) add(value);
    }
    template <class Key, class T>
    void add(const std::map<Key, T>& values) {
        for (const auto& [key, value] : values) {
            bytes_ += sizeof(std::pair<const Key, T>);
            add(key);
            add(value);
        }
    }

  private:
    std::size_t bytes_ = 0;
};

template <class C>
Contents contents(const C& command) {
    if constexpr (requires { command.row; }) {
        return Contents(command.row);
    } else if constexpr (requires { command.reason.size(); }) {
        return Contents(command.reason);
    } else {
        return Contents();
    }
}
Contents contents(const AdmittedCreate& command) {
    return Contents(command);
}
Contents contents(const AdmittedGraph& command) {
    return Contents(command.row, command.members, command.names, command.edges, command.groups);
}
Contents contents(const AdmittedClaim& command) {
    return Contents(command.claim.lanes, command.claim.capabilities);
}
Contents contents(const AdmittedComplete& command) {
    return Contents(command.result, command.result_encoding);
}
Contents contents(const AdmittedProgress& command) {
    return Contents(command.message);
}
Contents contents(const AdmittedCancel& command) {
    return Contents(command.reason, command.source);
}
Contents contents(const AdmittedTags& command) {
    return Contents(command.tags);
}
Contents contents(const AdmittedGrant& command) {
    const GrantRequest& request = command.request;
    return Contents(request.capabilities, request.capability_hash, request.route_snapshot_json,
                    request.admission_summary);
}
Contents contents(const AdmittedSuspend& command) {
    return Contents(command.waitpoints, command.resume_condition.to_json(), command.continuation_pointer,
                    command.idempotency_key);
}
Contents contents(const AdmittedSignal& command) {
    return Contents(command.token, command.signal_name, command.signal_category, command.source_type,
                    command.source_identity, command.payload, command.correlation_id, command.idempotency_key);
}
Contents contents(const AdmittedFlowTag& command) {
    return Contents(command.key, command.value);
}

}  // namespace

std::size_t bytes_of(const Command& command) {
    return sizeof(Command) + std::visit([](const auto& c) { return contents(c).bytes(); }, command);
}

}  // namespace flowfabric
