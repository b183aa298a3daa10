#pragma once

#include "core/rows.hpp"

// Tags as they are stored: one JSON object of strings.
namespace flowfabric {

Json json_of(const Tags& tags);
// What is not an object of strings is left out.
Tags tags_of(const Json& stored);

}  // namespace flowfabric
