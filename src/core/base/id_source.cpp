#include "core/base/id_source.hpp"

namespace flowfabric {

std::uint64_t mix64(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ value >> 27U) * 0x94d049bb133111ebULL;
    return value ^ value >> 31U;
}

Uuid IdSource::at(std::uint32_t n) const {
    const std::uint64_t high = mix64(seed_high_ + n);
    const std::uint64_t low = mix64(seed_low_ ^ high);
    const auto time = static_cast<std::uint64_t>(minted_at_ms_);
    Uuid id;
    for (unsigned i = 0; i < 6; ++i) id.bytes[i] = static_cast<std::uint8_t>(time >> (40U - 8U * i));
    id.bytes[6] = static_cast<std::uint8_t>(0x70U | (high >> 8U & 0x0FU));
    id.bytes[7] = static_cast<std::uint8_t>(high);
    for (unsigned i = 0; i < 8; ++i) id.bytes[8 + i] = static_cast<std::uint8_t>(low >> (56U - 8U * i));
    id.bytes[8] = static_cast<std::uint8_t>(0x80U | (id.bytes[8] & 0x3FU));
    return id;
}

}  // namespace flowfabric
