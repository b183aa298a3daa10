#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "flowfabric/scope.hpp"

// How operations are reached over HTTP: one declaration per route, from which the server, the API's description and the
// HTTP client are made.
namespace flowfabric::api {

// How large the body of a request may be.
enum class BodyLimit : std::uint32_t {
    control = 65'536,
    medium = 262'144,
    large = 1'048'576,
    bulk = 16'777'216,
};

// A field of a request under another name, which published clients use beside the operation's own.
struct RequestAlias {
    enum class Form : std::uint8_t {
        same,
        bytes,    // an array of the bytes of a payload
        base64,   // the bytes of a payload
        nested,   // a field of the object `field`
        ignored,  // accepted, and decides nothing
    };

    std::string_view name;
    std::string_view field;
    Form form = Form::same;
};

// A field of an answer under another name or in another form.
struct AnswerField {
    enum class Form : std::uint8_t {
        same,
        text,   // a number in decimal digits, as a string
        count,  // how many items the list has
    };

    std::string_view name;
    std::string_view from;  // the field of the operation's answer; empty: of the same name
    Form form = Form::same;
};

// One form in which an operation's answer is sent, where that is not the answer's own.
struct AnswerForm {
    std::string_view variant;  // the one key of the object that holds the fields; empty: they stand by themselves
    unsigned status = 200;
    std::string_view when;  // a field of the answer that is true, or a list that is not empty; empty: always
    std::vector<AnswerField> fields;  // none: the variant's name alone, as a string
};

struct Route {
    std::string_view method;
    std::string_view path;       // a template; a place in braces is a field of the operation, {id} its `id_field`
    std::string_view operation;  // by its name in api/operations.hpp
    Scope scope = Scope::read;
    std::string_view id_field = {};
    BodyLimit limit = BodyLimit::control;
    bool batched = false;          // PATH:batch takes {"items": […]} and answers each by itself
    bool without_body = false;     // whatever the request's body holds is ignored
    unsigned status = 200;
    std::vector<RequestAlias> aliases = {};
    std::vector<AnswerForm> answers = {};  // the first that fits; none: the operation's own answer
};

std::span<const Route> routes();

}  // namespace flowfabric::api
