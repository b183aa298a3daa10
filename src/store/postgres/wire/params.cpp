#include "store/postgres/wire/params.hpp"

namespace flowfabric::postgres {
namespace {

// Dimensions, "may hold nulls", element type, then length and lower bound of the one dimension.
constexpr std::size_t length_offset = 3 * sizeof(std::int32_t);
constexpr std::size_t first_cell = 5 * sizeof(std::int32_t);

}  // namespace

ArrayParam::ArrayParam(std::uint32_t element_oid) {
    append_big_endian(bytes_, std::int32_t{1});
    append_big_endian(bytes_, std::int32_t{1});
    append_big_endian(bytes_, element_oid);
    append_big_endian(bytes_, std::int32_t{0});
    append_big_endian(bytes_, std::int32_t{1});
}

void ArrayParam::compare_with_first(std::size_t at) {
    if (count_ == 0) {
        first_end_ = bytes_.size();
    } else if (uniform_) {
        const std::string_view bytes = bytes_;
        uniform_ = bytes.substr(at) == bytes.substr(first_cell, first_end_ - first_cell);
    }
}

std::optional<std::string> ArrayParam::shared() const {
    const std::string_view cells = std::string_view(bytes_).substr(first_cell);
    const auto length = read_big_endian<std::int32_t>(cells);
    if (length < 0) return std::nullopt;
    return std::string(cells.substr(sizeof(std::int32_t), static_cast<std::size_t>(length)));
}

std::string ArrayParam::finish() && {
    write_big_endian(&bytes_[length_offset], count_);
    return std::move(bytes_);
}

ColumnSet RowParams::uniform() const {
    ColumnSet uniform;
    for (std::size_t i = 1; i < columns_.size(); ++i) uniform.set(i, columns_[i].uniform());
    return uniform;
}

Params RowParams::finish(const ColumnSet& shared) && {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (shared.test(i)) {
            values_.add_shared(columns_[i]);
        } else {
            values_.add(std::move(columns_[i]));
        }
    }
    return std::move(values_);
}

}  // namespace flowfabric::postgres
