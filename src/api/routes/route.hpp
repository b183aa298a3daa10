#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "api/problem.hpp"
#include "flowfabric/client.hpp"
#include "flowfabric/scope.hpp"

// How operations are reached over HTTP: one declaration per route, from which the server, the API's description and the
// HTTP client are made.
namespace flowfabric::api {

class Schemas;

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
        bytes,    // an array of the bytes of a payload; under the field's own name other JSON is the payload itself
        base64,   // the bytes of a payload
        text,     // a payload that is text, as it is
        ignored,  // accepted, and decides nothing
    };

    std::string_view name;
    std::string_view field;  // of the operation; `grant.lane_id` stands in the object `grant`
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
    std::string_view from = {};  // the field of the operation's answer; empty: of the same name
    Form form = Form::same;
};

// One form in which an operation's answer is sent, where that is not the answer's own.
struct AnswerForm {
    std::string_view variant;  // the one key of the object that holds the fields; empty: they stand by themselves
    unsigned status = 200;
    std::string_view when = {};  // a field of the answer that is true, or a list that is not empty; empty: always
    std::vector<AnswerField> fields = {};  // none: the variant's name alone, as a string
};

// What a field of a request says of the namespace that the request is about.
struct Belonging {
    enum class To : std::uint8_t {
        name,  // it is the namespace
        execution,
        uuid,  // of executions, whichever partitions they are of
        flow,
        lease,
        bulk,     // a bulk operation
        webhook,  // by its name
    };

    To to = To::name;
    std::string_view field;    // of the operation; `nodes[].execution.namespace` stands in each of a list
    bool may_be_new = false;   // the request may make what it names
    bool is_required = false;  // a caller that is held to namespaces must give it, although others need not
};

// An answer as it is sent.
struct SentAnswer {
    unsigned status = 200;
    boost::json::value body;
    std::optional<std::string> bytes = {};  // the body instead, as application/octet-stream
    std::vector<std::pair<std::string, std::string>> headers = {};
};

// What a route that waits for the end of an execution tells of one that has not ended.
inline constexpr ErrorKind not_ended = ErrorKind::execution_not_terminal;

struct Route {
    std::string_view method;
    std::string_view path;       // a template; a place in braces is a field of the operation, {id} its `id_field`
    std::string_view operation;  // by its name in api/operations.hpp
    Scope scope = Scope::read;
    bool audited = false;  // a record is kept although its scope is not `admin`, or it changes nothing
    bool changes_tokens = false;
    // A caller that is held to namespaces must reach all of these. None: the request is about the store, or about work
    // of any namespace, and such a caller may not send it.
    std::vector<Belonging> belongs_to = {};
    std::string_view subject = {};  // the field that audit records show; see subject_field
    std::string_view group = {};    // the name of its RouteGroup
    std::string_view id_field = {};
    BodyLimit limit = BodyLimit::control;
    bool batched = false;       // PATH:batch takes {"items": […]} and answers each by itself
    bool without_body = false;  // whatever the request's body holds is ignored
    // While one request is under way others get 429, which calls them by this name. Empty: any number may be.
    std::string_view one_at_a_time = {};
    bool is_stream_operation = false;  // of these only so many may be under way, as the server is told
    std::uint32_t most_items = 0;      // the largest `limit`, if that is less than the operation's
    bool waits = false;                // its answer may be long in coming: white space is sent meanwhile
    // What there is not where nothing is found; empty: what the operation's first field is the id of.
    std::string_view absent = {};
    bool may_be_null = false;  // an operation that found nothing answers null, otherwise with 404
    unsigned status = 200;
    std::vector<RequestAlias> aliases = {};
    std::vector<AnswerForm> answers = {};  // the first that fits is sent; none: the operation's own answer
    // Completes or refuses a request whose names are those of the operation.
    std::optional<Problem> (*prepare)(boost::json::object& request) = nullptr;
    std::vector<std::string_view> prepared = {};  // fields that `prepare` sets, so that callers do not
    // Forms the answer where `answers` only describe it.
    SentAnswer (*send)(const boost::json::object& request, boost::json::value answer) = nullptr;
    // Forms it from the operation's own answer, where its bytes count.
    OrProblem<SentAnswer> (*send_raw)(const boost::json::object& request, const std::any& answer) = nullptr;
    // Describes what either forms, as OpenAPI's responses by status; null: `answers` do, or the operation's own answer.
    boost::json::object (*sent)(Schemas& schemas) = nullptr;
    // All pages are sent, in lines of JSON: each item of this list, then the page's next_cursor. Empty: one page is.
    std::string_view lines = {};
    // ?wait_ms= holds back `not_ended` until the execution has ended, for as long at most.
    bool waits_for_end = false;
    // The body that is sent when the server ends before there is an answer; empty: the answer is awaited.
    std::string_view early = {};
    // Takes back what was done for a caller that went away, or got the early answer.
    void (*abandon)(Client& client, const SentAnswer& answer) = nullptr;
};

// Whether what comes of it is kept for audits.
bool is_audited(const Route& route);
// What audit records show of a request: `subject`, else what the request belongs to, else the last place of the path.
std::string_view subject_field(const Route& route);

// Routes that belong together.
struct RouteGroup {
    std::string_view name;
    std::string_view summary;
    std::vector<Route> (*routes)();
};

std::span<const RouteGroup> route_groups();
// Every route by which people and programs reach an operation.
std::span<const Route> routes();
// POST /v1/operations/NAME for every operation, with its own request and answer: for clients that offer all of them. It
// asks for the scope of the operation's first route, and for `admin` without one.
std::span<const Route> named_routes();

}  // namespace flowfabric::api
