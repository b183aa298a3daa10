#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowfabric {

// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);
// Nothing for anything else, also for blanks and line breaks.
std::optional<std::string> from_base64(std::string_view text);

// In the alphabet of URLs and file names, without padding; each text of it has one form.
std::string to_base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

}  // namespace flowfabric
