#include "store/postgres/params.hpp"

namespace flowfabric::postgres {
namespace {

// Dimensions, "may hold nulls", element type, then length and lower bound of the one dimension.
constexpr std::size_t length_offset = 3 * sizeof(std::int32_t);

}  // namespace

ArrayParam::ArrayParam(std::uint32_t element_oid) {
    append_big_endian(bytes_, std::int32_t{1});
    append_big_endian(bytes_, std::int32_t{1});
    append_big_endian(bytes_, element_oid);
    append_big_endian(bytes_, std::int32_t{0});
    append_big_endian(bytes_, std::int32_t{1});
}

std::string ArrayParam::finish() && {
    write_big_endian(&bytes_[length_offset], count_);
    return std::move(bytes_);
}

}  // namespace flowfabric::postgres
