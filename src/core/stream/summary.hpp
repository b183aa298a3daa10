#pragma once

#include <string>
#include <string_view>

#include "flowfabric/result.hpp"

namespace flowfabric {

// What a JSON Merge Patch (RFC 7396) makes of a document: an object's members are merged, null removes, anything else
// replaces. The text `merge_patch_null` stands for a null that is to be stored, wherever it is.
//
// A patch is refused that is no JSON object, or nested deeper than max_patch_depth; and one that would make the
// document larger than max_stream_summary_bytes. The document is one that this function has made, or empty: none yet.
Result<std::string> merge_patch(std::string_view document, std::string_view patch);

// Whether the patch can be taken as one, whatever the document.
Result<void> check_patch(std::string_view patch);

}  // namespace flowfabric
