#include "core/rows/key_text.hpp"

#include "core/base/hex.hpp"

namespace flowfabric {

void KeyText::number(ColumnForm, std::int64_t value) {
    text(std::to_string(value));
}

void KeyText::text(std::string_view value) {
    if (!text_.empty()) text_ += ' ';
    text_ += value;
}

void KeyText::binary(std::string_view value) {
    text(hex_of(value));
}

void KeyText::uuid(const Uuid& value) {
    text(value.to_string());
}

void KeyText::json(std::string_view value) {
    text(value);
}

void KeyText::tokens(const std::vector<std::string>& values) {
    texts(values);
}

void KeyText::texts(const std::vector<std::string>& values) {
    for (const std::string& value : values) text(value);
}

void KeyText::null(ColumnForm) {
    text("-");
}

}  // namespace flowfabric
