#include "store/fault.hpp"

namespace flowfabric {

EngineError to_engine_error(const StoreError& error) {
    switch (error.fault) {
        case StoreFault::contention:
            return {.kind = ErrorKind::retry_exhausted, .detail = error.detail};
        case StoreFault::exhausted:
            return {.kind = ErrorKind::resource_exhausted, .detail = error.detail};
        case StoreFault::unavailable:
            return {.kind = ErrorKind::unavailable, .detail = error.detail};
        case StoreFault::data:
            return {.kind = ErrorKind::internal, .detail = error.detail};
        case StoreFault::unreadable:
            return corruption(error.detail);
        case StoreFault::connection:
        case StoreFault::unknown_outcome:
            break;
    }
    return {.kind = ErrorKind::transport, .detail = error.detail, .connection_fault = true};
}

}  // namespace flowfabric
