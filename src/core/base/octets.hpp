#pragma once

#include <string>
#include <string_view>

// Bytes as OpenSSL takes them.
namespace flowfabric {

inline const unsigned char* octets_of(std::string_view bytes) {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}
inline unsigned char* octets_of(std::string& bytes) {
    return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace flowfabric
