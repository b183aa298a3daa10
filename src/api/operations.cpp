#include "api/operations.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "api/types.hpp"
#include "flowfabric/engine.hpp"

namespace flowfabric::api {
namespace {

template <class Command>
OperationEntry entry_of() {
    return {Command::operation, true, &type_of<Command>(), &type_of<typename Command::Answer>()};
}

template <class... Command>
std::vector<OperationEntry> entries_of(const std::variant<Command...>*) {
    return {entry_of<Command>()...};
}

}  // namespace

std::span<const OperationEntry> operations() {
    static const std::vector<OperationEntry> entries = entries_of(static_cast<const Commands*>(nullptr));
    return entries;
}

const OperationEntry* find_operation(std::string_view name) {
    const auto entries = operations();
    const auto found =
        std::ranges::find(entries, name, [](const OperationEntry& entry) { return entry.operation.name; });
    return found == entries.end() ? nullptr : &*found;
}

// ---- what other files find: type_of of every request and answer, and of a lease ------------------------------------

template <class Kinds>
struct TypesOf;
template <class... Command>
struct TypesOf<std::variant<Command...>> {
    // A function whose address is kept has a body that other files can call.
    static const std::array<const Type& (*)(), 2 * sizeof...(Command)> all;
};
template <class... Command>
const std::array<const Type& (*)(), 2 * sizeof...(Command)> TypesOf<std::variant<Command...>>::all{
    &type_of<Command>..., &type_of<typename Command::Answer>...};

template struct TypesOf<Commands>;
template const Type& type_of<Handle>();
template const Type& type_of<Fence>();

}  // namespace flowfabric::api
