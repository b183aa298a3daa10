#include "core/base/handle_codec.hpp"

#include <concepts>
#include <optional>

#include "core/base/base64.hpp"
#include "core/base/names.hpp"

namespace flowfabric {
namespace {

constexpr std::uint8_t magic_v1 = 0x01;
constexpr std::uint8_t magic_v2 = 0x02;
constexpr std::uint8_t wire_version = 0x01;

template <std::unsigned_integral Integer>
void put(std::string& out, Integer value) {
    for (unsigned shift = 0; shift < 8 * sizeof value; shift += 8)
        out.push_back(static_cast<char>(value >> shift & 0xFFU));
}

void put(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    template <std::unsigned_integral Integer>
    std::optional<Integer> integer() {
        if (rest_.size() < sizeof(Integer)) return std::nullopt;
        Integer value = 0;
        for (unsigned i = 0; i < sizeof(Integer); ++i) {
            value = static_cast<Integer>(value | static_cast<Integer>(static_cast<std::uint8_t>(rest_[i])) << 8U * i);
        }
        rest_.remove_prefix(sizeof(Integer));
        return value;
    }

    std::optional<std::string_view> text() {
        const auto size = integer<std::uint32_t>();
        if (!size || rest_.size() < *size) return std::nullopt;
        const std::string_view value = rest_.substr(0, *size);
        rest_.remove_prefix(*size);
        return is_valid_utf8(value) ? std::optional(value) : std::nullopt;
    }

    std::string_view rest() const { return rest_; }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

bool is_known_tag(std::uint8_t tag) {
    return tag >= 0x01 && tag <= 0x04;
}

bool is_known_kind(std::uint8_t kind) {
    return kind <= static_cast<std::uint8_t>(HandleKind::reclaimed);
}

}  // namespace

Result<Handle> Handle::parse(std::string_view text) {
    const auto bytes = from_base64url(text);
    if (!bytes) return invalid_input("handle", "is not base64url");
    Reader in(*bytes);
    const auto tag = in.integer<std::uint8_t>();
    const auto kind = in.integer<std::uint8_t>();
    if (!tag || !kind) return invalid_input("handle", "is too short");
    if (!is_known_tag(*tag) || !is_known_kind(*kind)) return invalid_input("handle", "has an unknown tag");
    return Handle{static_cast<BackendTag>(*tag), static_cast<HandleKind>(*kind), std::string(in.rest())};
}

std::string Handle::to_string() const {
    std::string bytes;
    put(bytes, static_cast<std::uint8_t>(backend));
    put(bytes, static_cast<std::uint8_t>(kind));
    return to_base64url(bytes.append(opaque));
}

Handle encode_handle(BackendTag backend, HandleKind kind, const HandleContent& content) {
    Handle handle{.backend = backend, .kind = kind, .opaque = {}};
    std::string& out = handle.opaque;
    out.reserve(192 + content.lane_id.size() + content.worker_instance_id.size());
    put(out, magic_v2);
    put(out, wire_version);
    put(out, static_cast<std::uint8_t>(backend));
    put(out, content.execution_id.to_string());
    put(out, content.attempt_index);
    put(out, content.attempt_id.to_string());
    put(out, content.lease_id.to_string());
    put(out, content.lease_epoch);
    put(out, content.lease_ttl_ms);
    put(out, content.lane_id);
    put(out, content.worker_instance_id);
    return handle;
}

Result<HandleContent> decode_handle(const Handle& handle, BackendTag expected) {
    const EngineError foreign{.kind = ErrorKind::handle_from_other_backend,
                              .detail = "handle: issued by another kind of store"};
    if (handle.backend != expected) return foreign;

    Reader in(handle.opaque);
    const auto magic = in.integer<std::uint8_t>();
    if (magic == magic_v1) return foreign;  // the first format had no tag and was Valkey's alone
    const auto version = in.integer<std::uint8_t>();
    const auto tag = in.integer<std::uint8_t>();
    if (magic != magic_v2 || version != wire_version || !tag || !is_known_tag(*tag)) {
        return corruption("handle: unknown magic, version or backend tag");
    }
    if (*tag != static_cast<std::uint8_t>(expected)) return foreign;

    const auto execution = in.text();
    const auto index = in.integer<std::uint32_t>();
    const auto attempt = in.text();
    const auto lease = in.text();
    const auto epoch = in.integer<std::uint64_t>();
    const auto ttl = in.integer<std::uint64_t>();
    const auto lane = in.text();
    const auto instance = in.text();
    if (!execution || !index || !attempt || !lease || !epoch || !ttl || !lane || !instance) {
        return corruption("handle: truncated or not UTF-8");
    }
    if (!in.at_end()) return corruption("handle: trailing bytes");

    const auto execution_id = ExecutionId::parse(*execution);
    const auto attempt_id = AttemptId::parse(*attempt);
    const auto lease_id = LeaseId::parse(*lease);
    if (!execution_id || !attempt_id || !lease_id) return corruption("handle: holds a malformed id");
    return HandleContent{.execution_id = *execution_id,
                         .attempt_index = *index,
                         .attempt_id = *attempt_id,
                         .lease_id = *lease_id,
                         .lease_epoch = *epoch,
                         .lease_ttl_ms = *ttl,
                         .lane_id = std::string(*lane),
                         .worker_instance_id = std::string(*instance)};
}

Result<ExecutionId> execution_of(const Handle& handle) {
    const auto content = decode_handle(handle, handle.backend);
    if (!content) return content.error();
    return content->execution_id;
}

}  // namespace flowfabric
