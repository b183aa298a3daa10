#pragma once

#include <string>

#include "core/rows/columns.hpp"

namespace flowfabric {

// A key for people: its columns' values, with spaces between them.
class KeyText final : public ColumnWriter {
  public:
    std::string take() { return std::move(text_); }

  private:
    void number(ColumnForm form, std::int64_t value) override;
    void text(std::string_view value) override;
    void binary(std::string_view value) override;
    void uuid(const Uuid& value) override;
    void json(std::string_view value) override;
    void tokens(const std::vector<std::string>& values) override;
    void texts(const std::vector<std::string>& values) override;
    void null(ColumnForm form) override;

    std::string text_;
};

template <class Key>
std::string key_text(const Key& key) {
    KeyText text;
    visit_columns(key, text);
    return text.take();
}

}  // namespace flowfabric
