#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "flowfabric/result.hpp"

// JSON of every operation and of what it carries, from the listings of their fields (flowfabric/field.hpp).
namespace flowfabric::api {

struct ReadOptions {
    bool ignore_unknown_fields = false;
};

// Where a value stands in its document: `nodes[3].execution.lane_id`. Lives on the stack of the reader.
class Path {
  public:
    explicit Path(const ReadOptions& options) : options_(options) {}

    Path at(std::string_view name) const { return {*this, name, std::nullopt}; }
    Path at(std::size_t index) const { return {*this, {}, index}; }

    const ReadOptions& options() const { return options_; }
    std::string text() const;
    EngineError refuse(std::string_view reason) const;

  private:
    Path(const Path& parent, std::string_view name, std::optional<std::size_t> index)
        : options_(parent.options_), parent_(&parent), name_(name), index_(index) {}

    const ReadOptions& options_;
    const Path* parent_ = nullptr;
    std::string_view name_;
    std::optional<std::size_t> index_;
};

class Schemas;

// The JSON form of the values of one C++ type, with one object per type. Code that walks values knows this interface
// alone, so that it is compiled once.
class Type {
  public:
    Type() = default;
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    virtual ~Type() = default;

    virtual Result<void> read(const boost::json::value& value, void* into, const Path& where) const = 0;
    virtual boost::json::value write(const void* from) const = 0;
    // What a JSON Schema says of its values. Structs stand in `schemas` by their names and are referred to.
    virtual boost::json::object schema(Schemas& schemas) const = 0;
    // A value that is not there: its field is left out.
    virtual bool is_absent(const void*) const { return false; }
};

// Defined for every operation, its answer, and the types in their fields (api/operations.cpp).
template <class T>
const Type& type_of();

template <class T>
boost::json::value to_json(const T& value) {
    return type_of<T>().write(&value);
}

template <class T>
Result<T> from_json(const boost::json::value& value, const ReadOptions& options = {}) {
    T result{};
    if (auto done = type_of<T>().read(value, &result, Path(options)); !done) return done.error();
    return result;
}

}  // namespace flowfabric::api
