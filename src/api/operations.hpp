#pragma once

#include <span>
#include <string_view>

#include "api/type.hpp"
#include "flowfabric/field.hpp"

// The table of operations: what a caller can ask for, by name, with the types of its request and of its answer.
namespace flowfabric::api {

struct OperationEntry {
    Operation operation;
    bool changes = false;  // otherwise it only reads
    const Type* request = nullptr;
    const Type* answer = nullptr;
};

std::span<const OperationEntry> operations();
// Null: there is none of that name.
const OperationEntry* find_operation(std::string_view name);

}  // namespace flowfabric::api
