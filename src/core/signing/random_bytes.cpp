#include "core/signing/random_bytes.hpp"

#include <openssl/rand.h>

#include "core/base/octets.hpp"

namespace flowfabric {

Result<Bytes> random_bytes(std::size_t count) {
    Bytes bytes(count, '\0');
    if (RAND_bytes(octets_of(bytes), static_cast<int>(count)) != 1) {
        return EngineError{.kind = ErrorKind::unavailable, .detail = "no random bytes for a secret"};
    }
    return bytes;
}

}  // namespace flowfabric
