#include "core/base/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

#include "core/base/octets.hpp"

namespace flowfabric {

std::string to_base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(octets_of(text), octets_of(bytes), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t end = text.find_last_not_of('=') + 1;
    const std::size_t padding = text.size() - end;
    if (text.size() % 4 != 0 || padding > 2 ||
        text.substr(0, end).find_first_not_of(digits) != std::string_view::npos) {
        return std::nullopt;
    }
    std::string bytes(text.size() / 4 * 3, '\0');
    if (EVP_DecodeBlock(octets_of(bytes), octets_of(text), static_cast<int>(text.size())) < 0) return std::nullopt;
    bytes.resize(bytes.size() - padding);
    return bytes;
}

std::string to_base64url(std::string_view bytes) {
    std::string text = to_base64(bytes);
    text.resize(text.find_last_not_of('=') + 1);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
    std::string padded(text);
    std::ranges::replace(padded, '-', '+');
    std::ranges::replace(padded, '_', '/');
    padded.append((4 - text.size() % 4) % 4, '=');
    auto bytes = from_base64(padded);
    // The other alphabet, padding and bits that are not used come out different.
    if (bytes && to_base64url(*bytes) != text) return std::nullopt;
    return bytes;
}

}  // namespace flowfabric
