#pragma once

#include <span>
#include <string_view>

namespace flowfabric::server {

// A file that the program carries with it.
struct WebFile {
    std::string_view name;
    std::string_view type;  // its media type
    std::string_view text;
};

// The API's page: web/docs.
std::span<const WebFile> docs_files();

}  // namespace flowfabric::server
