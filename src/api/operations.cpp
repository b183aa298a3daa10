#include "api/operations.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "api/types.hpp"

namespace flowfabric::api {
namespace {

namespace json = boost::json;

template <class Asked>
Result<std::variant<Commands, Queries>> parse(const json::value& request, const ReadOptions& options) {
    using Kinds = std::conditional_t<CommandType<Asked>, Commands, Queries>;
    std::variant<Commands, Queries> asked(std::in_place_type<Kinds>, std::in_place_type<Asked>);
    auto& into = std::get<Asked>(std::get<Kinds>(asked));
    if (auto done = type_of<Asked>().read(request, &into, Path(options)); !done) return done.error();
    return asked;
}

template <class Asked>
json::value present(const std::any& answer) {
    return to_json(*std::any_cast<typename Asked::Answer>(&answer));
}

template <class Asked>
json::value write(const std::variant<Commands, Queries>& asked) {
    using Kinds = std::conditional_t<CommandType<Asked>, Commands, Queries>;
    return to_json(std::get<Asked>(std::get<Kinds>(asked)));
}

template <class Asked>
Result<std::any> read_answer(const json::value& document, const ReadOptions& options) {
    auto answer = from_json<typename Asked::Answer>(document, options);
    if (!answer) return answer.error();
    return std::any(*std::move(answer));
}

template <class Asked>
OperationEntry entry_of() {
    return {.operation = Asked::operation,
            .changes = CommandType<Asked>,
            .request = &type_of<Asked>(),
            .answer = &type_of<typename Asked::Answer>(),
            .parse = parse<Asked>,
            .present = present<Asked>,
            .write = write<Asked>,
            .read_answer = read_answer<Asked>};
}

template <class... Asked>
void add_entries(const std::variant<Asked...>*, std::vector<OperationEntry>& entries) {
    (entries.push_back(entry_of<Asked>()), ...);
}

std::vector<OperationEntry> all_entries() {
    std::vector<OperationEntry> entries;
    add_entries(static_cast<const Commands*>(nullptr), entries);
    add_entries(static_cast<const Queries*>(nullptr), entries);
    return entries;
}

}  // namespace

std::span<const OperationEntry> operations() {
    static const std::vector<OperationEntry> entries = all_entries();
    return entries;
}

const OperationEntry* find_operation(std::string_view name) {
    const auto entries = operations();
    const auto found =
        std::ranges::find(entries, name, [](const OperationEntry& entry) { return entry.operation.name; });
    return found == entries.end() ? nullptr : &*found;
}

// The table lists commands, then queries, each in their variant's order.
const OperationEntry& operation_of(const std::variant<Commands, Queries>& asked) {
    const auto* command = std::get_if<Commands>(&asked);
    const std::size_t place =
        command != nullptr ? command->index() : std::variant_size_v<Commands> + std::get<Queries>(asked).index();
    return operations()[place];
}

// ---- what other files find: type_of of every request and answer, and of a lease ------------------------------------

template <class Kinds>
struct TypesOf;
template <class... Asked>
struct TypesOf<std::variant<Asked...>> {
    // Keeping the address of a function makes the compiler emit its body, for other files to call.
    static const std::array<const Type& (*)(), 2 * sizeof...(Asked)> all;
};
template <class... Asked>
const std::array<const Type& (*)(), 2 * sizeof...(Asked)> TypesOf<std::variant<Asked...>>::all{
    &type_of<Asked>..., &type_of<typename Asked::Answer>...};

template struct TypesOf<Commands>;
template struct TypesOf<Queries>;
template const Type& type_of<Handle>();
template const Type& type_of<Fence>();

}  // namespace flowfabric::api
