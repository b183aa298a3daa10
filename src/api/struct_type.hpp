#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/type.hpp"
#include "flowfabric/field.hpp"

// What the Types of all C++ types share, compiled once: each class walks one shape of JSON and leaves to its subclass
// (api/types.hpp) how to get at the C++ value.
namespace flowfabric::api {

class BoolType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

class RealType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

class TextType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

// A document that is passed on as it is.
class RawJsonType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

class EpochType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

// A handle is a string, a fence an object.
class LeaseType final : public Type {
  public:
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
};

class IntegerType : public Type {
  public:
    IntegerType(std::int64_t min, std::uint64_t max) : min_(min), max_(max) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::object schema(Schemas& schemas) const override;
    std::int64_t min() const { return min_; }
    std::uint64_t max() const { return max_; }

  private:
    virtual void set(void* into, std::int64_t number) const = 0;
    virtual void set(void* into, std::uint64_t number) const = 0;

    const std::int64_t min_;
    const std::uint64_t max_;
};

class NamesType : public Type {
  public:
    explicit NamesType(std::vector<std::string_view> names) : names_(std::move(names)) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;

  private:
    virtual void set(void* into, std::size_t index) const = 0;
    virtual std::size_t get(const void* from) const = 0;

    const std::vector<std::string_view> names_;
};

// What is known of a string's grammar without parsing it.
struct TextShape {
    std::string_view format = {};                  // a format of JSON Schema
    std::string_view pattern = {};                 // a regular expression
    std::span<const std::string_view> known = {};  // values that it has; there may be others
};

// A string with a grammar of its own.
class ParsedType : public Type {
  public:
    explicit ParsedType(const TextShape& shape) : shape_(shape) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;

  private:
    virtual Result<void> parse(std::string_view text, void* into) const = 0;
    virtual std::string text(const void* from) const = 0;

    const TextShape shape_;
};

// A document with a parser of its own, and a schema of its own (openapi/document_schemas.hpp).
class DocumentType : public Type {
  public:
    explicit DocumentType(std::string_view name) : name_(name) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;

  private:
    virtual Result<void> parse(std::string_view text, void* into) const = 0;
    virtual std::string text(const void* from) const = 0;

    const std::string_view name_;
};

class OptionalType : public Type {
  public:
    explicit OptionalType(const Type& type) : type_(type) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
    bool is_absent(const void* from) const override { return value(from) == nullptr; }

    const Type& type() const { return type_; }
    virtual void* emplace(void* into) const = 0;
    virtual const void* value(const void* from) const = 0;  // null: there is none

  private:
    const Type& type_;
};

class ListType : public Type {
  public:
    explicit ListType(const Type& element) : element_(element) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
    const Type& element() const { return element_; }

  private:
    virtual void clear(void* into) const = 0;
    virtual void* append(void* into) const = 0;
    virtual std::size_t size(const void* from) const = 0;
    virtual const void* at(const void* from, std::size_t index) const = 0;

    const Type& element_;
};

class MapType : public Type {
  public:
    using Visit = std::function<void(const std::string& key, const void* value)>;

    explicit MapType(const Type& element) : element_(element) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
    const Type& element() const { return element_; }

  private:
    virtual void clear(void* into) const = 0;
    virtual void* insert(void* into, std::string_view key) const = 0;
    virtual void each(const void* from, const Visit& visit) const = 0;

    const Type& element_;
};

class VariantType : public Type {
  public:
    struct Alternative {
        std::string_view name;
        const Type* type;
    };

    explicit VariantType(std::vector<Alternative> alternatives) : alternatives_(std::move(alternatives)) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;
    const std::vector<Alternative>& alternatives() const { return alternatives_; }

  private:
    virtual void* emplace(void* into, std::size_t index) const = 0;
    virtual std::size_t index(const void* from) const = 0;
    virtual const void* value(const void* from) const = 0;

    const std::vector<Alternative> alternatives_;
};

struct Member {
    std::string_view name;
    const Type* type;
    FieldRule rule;
    std::string_view summary;
    std::size_t offset;  // where it stands in its struct
    // What holds in a request without it; nothing: its absence means something by itself, or it is required.
    std::optional<boost::json::value> default_value;

    void* in(void* object) const { return static_cast<std::byte*>(object) + offset; }
    const void* in(const void* object) const { return static_cast<const std::byte*>(object) + offset; }
};

// What a struct lists, while it is collected.
class MemberList {
  public:
    std::vector<Member> take() { return std::move(members_); }

  protected:
    void add(std::string_view name, const Type& type, const FieldRule& rule, std::string_view summary,
             const void* object, const void* field);

  private:
    std::vector<Member> members_;
};

class StructType : public Type {
  public:
    StructType(std::string_view name, std::vector<Member> members) : name_(name), members_(std::move(members)) {}
    Result<void> read(const boost::json::value& value, void* into, const Path& where) const override;
    boost::json::value write(const void* from) const override;
    boost::json::object schema(Schemas& schemas) const override;

    std::string_view name() const { return name_; }
    const std::vector<Member>& members() const { return members_; }

  private:
    const Member* find(std::string_view name) const;
    Result<void> read_payload(const Member& member, const boost::json::object& object, void* into,
                              const Path& where) const;
    void write_payload(const Member& member, const void* from, boost::json::object& object) const;

    const std::string_view name_;
    const std::vector<Member> members_;
};

}  // namespace flowfabric::api
