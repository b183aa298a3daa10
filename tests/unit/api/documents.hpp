#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <boost/json.hpp>

#include "api/type.hpp"
#include "flowfabric/ids.hpp"

// Values and the documents that they are expected to become.
namespace flowfabric::api::test {

template <class T>
void expect_document(const T& value, std::string_view document) {
    EXPECT_EQ(to_json(value), boost::json::parse(document));
}

inline ExecutionId execution(char last) {
    return *ExecutionId::parse(std::string("{fp:7}:00000000-0000-7000-8000-00000000000") + last);
}

template <class Id>
Id id(char last) {
    return *Id::parse(std::string("00000000-0000-7000-8000-00000000000") + last);
}

}  // namespace flowfabric::api::test
