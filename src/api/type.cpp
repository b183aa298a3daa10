#include "api/type.hpp"

namespace flowfabric::api {

std::string Path::text() const {
    if (parent_ == nullptr) return {};
    std::string text = parent_->text();
    if (index_) return text + '[' + std::to_string(*index_) + ']';
    if (!text.empty()) text += '.';
    return text.append(name_);
}

EngineError Path::refuse(std::string_view reason) const {
    const std::string where = text();
    return invalid_input(where.empty() ? "document" : where, reason);
}

}  // namespace flowfabric::api
