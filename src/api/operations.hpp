#pragma once

#include <any>
#include <span>
#include <string_view>
#include <variant>

#include "api/type.hpp"
#include "flowfabric/field.hpp"
#include "flowfabric/operations.hpp"

// The table of operations: what a caller can ask for, by name, with the types of its request and of its answer.
namespace flowfabric::api {

struct OperationEntry {
    Operation operation;
    bool changes = false;  // otherwise it only reads
    const Type* request = nullptr;
    const Type* answer = nullptr;
    // Both are what a Client takes and gives for an operation of any type.
    Result<std::variant<Commands, Queries>> (*parse)(const boost::json::value& request, const ReadOptions&) = nullptr;
    boost::json::value (*present)(const std::any& answer) = nullptr;
    // The other way round, for a client whose engine is elsewhere.
    boost::json::value (*write)(const std::variant<Commands, Queries>& asked) = nullptr;
    Result<std::any> (*read_answer)(const boost::json::value& answer, const ReadOptions&) = nullptr;
};

std::span<const OperationEntry> operations();
// Null: there is none of that name.
const OperationEntry* find_operation(std::string_view name);
const OperationEntry& operation_of(const std::variant<Commands, Queries>& asked);

}  // namespace flowfabric::api
