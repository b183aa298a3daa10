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
    const std::string_view cells(bytes_);
    uniform_ = cells.substr(first_cell, at - first_cell) == cells.substr(at);
    const std::string cell = uniform_ ? std::string() : bytes_.substr(at);
    bytes_.resize(at);
    if (uniform_) return;
    repeat_first(count_ - 1);
    bytes_ += cell;
}

void ArrayParam::repeat_first(std::int32_t times) {
    if (times == 0) return;
    const std::string cell = bytes_.substr(first_cell);
    bytes_.reserve(bytes_.size() + cell.size() * static_cast<std::size_t>(times));
    for (std::int32_t i = 0; i < times; ++i) bytes_ += cell;
}

std::optional<std::string> ArrayParam::shared() const {
    const bool null = read_big_endian<std::int32_t>(std::string_view(bytes_).substr(first_cell)) < 0;
    return null ? std::nullopt : std::optional(bytes_.substr(first_cell + sizeof(std::int32_t)));
}

std::string ArrayParam::finish() && {
    if (uniform_ && count_ > 1) repeat_first(count_ - 1);
    write_big_endian(&bytes_[length_offset], count_);
    return std::move(bytes_);
}

ColumnSet RowParams::uniform() const {
    ColumnSet columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) columns.set(i, columns_[i].uniform());
    if (columns.count() == columns_.size()) columns.reset(0);
    return columns;
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
