#include "core/base/names.hpp"

#include <algorithm>
#include <cstdint>

namespace flowfabric {
namespace {

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_tag_char(char c) {
    return is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}

// ^[a-z][a-z0-9_]*\.[a-z0-9_][a-z0-9_.]*$
bool is_tag_key(std::string_view key) {
    const auto dot = key.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == key.size()) return false;
    const std::string_view owner = key.substr(0, dot);
    const std::string_view name = key.substr(dot + 1);
    return is_lower(owner.front()) && std::ranges::all_of(owner, is_tag_char) && is_tag_char(name.front()) &&
           std::ranges::all_of(name, [](char c) { return is_tag_char(c) || c == '.'; });
}

bool is_control_or_space(char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return byte <= 0x20 || byte == 0x7F;
}

// In valid UTF-8: U+0080 to U+00A0 (controls, no-break space) and the spaces and separators beyond.
bool has_unicode_control_or_space(std::string_view text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '\xC2' && static_cast<std::uint8_t>(text[i + 1]) <= 0xA0) return true;
        const std::string_view three = text.substr(i, 3);
        if (three.starts_with("\xE2\x80") && three.size() == 3) {
            const auto last = static_cast<std::uint8_t>(three[2]);
            if (last <= 0x8A || last == 0xA8 || last == 0xA9 || last == 0xAF) return true;
        }
        if (three == "\xE1\x9A\x80" || three == "\xE2\x81\x9F" || three == "\xE3\x80\x80") return true;
    }
    return false;
}

EngineError too_long(std::string_view field, std::size_t max_bytes) {
    return invalid_input(field, "longer than " + std::to_string(max_bytes) + " bytes");
}

// What a message may quote of a text that was refused.
std::string printable_excerpt(std::string_view text) {
    std::string excerpt(text.substr(0, max_label_bytes));
    std::ranges::replace_if(excerpt, [](char c) { return c < 0x20 || c > 0x7E; }, '?');
    return excerpt;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<std::uint8_t>(text[i]);
        std::size_t extra = 0;
        std::uint32_t code = lead;
        if (lead < 0x80) {
            ++i;
            continue;
        }
        if (lead >= 0xC2 && lead <= 0xDF) {
            extra = 1;
            code = lead & 0x1FU;
        } else if (lead >= 0xE0 && lead <= 0xEF) {
            extra = 2;
            code = lead & 0x0FU;
        } else if (lead >= 0xF0 && lead <= 0xF4) {
            extra = 3;
            code = lead & 0x07U;
        } else {
            return false;
        }
        if (text.size() - i <= extra) return false;
        for (std::size_t k = 1; k <= extra; ++k) {
            const auto next = static_cast<std::uint8_t>(text[i + k]);
            if ((next & 0xC0U) != 0x80U) return false;
            code = code << 6U | (next & 0x3FU);
        }
        const bool overlong = (extra == 2 && code < 0x800) || (extra == 3 && code < 0x10000);
        const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        if (overlong || surrogate || code > 0x10FFFF) return false;
        i += extra + 1;
    }
    return true;
}

Result<void> check_lane_id(std::string_view lane_id) {
    const auto limit = [] { return std::to_string(max_lane_bytes); };
    if (lane_id.empty()) return invalid_input("lane_id", "Empty: a lane has 1 to " + limit() + " printable characters");
    if (lane_id.size() > max_lane_bytes) {
        return invalid_input("lane_id",
                             "TooLong(" + std::to_string(lane_id.size()) + "): at most " + limit() + " bytes");
    }
    for (std::size_t i = 0; i < lane_id.size(); ++i) {
        if (lane_id[i] < 0x20 || lane_id[i] > 0x7E) {
            return invalid_input("lane_id", "NonPrintable(" + std::to_string(i) + "): printable ASCII only");
        }
    }
    return {};
}

Result<void> check_lanes(const std::vector<std::string>& lanes) {
    if (lanes.empty() || lanes.size() > max_claim_lanes) {
        return invalid_input("lanes", "must name 1 to " + std::to_string(max_claim_lanes) + " lanes");
    }
    for (const std::string& lane : lanes) {
        if (auto checked = check_lane_id(lane); !checked) return checked;
    }
    return {};
}

Result<void> check_identity(std::string_view field, std::string_view value) {
    if (value.empty()) return invalid_input(field, "must not be empty");
    if (value.size() > max_identity_bytes) return too_long(field, max_identity_bytes);
    if (!is_valid_utf8(value)) return invalid_input(field, "is not valid UTF-8");
    if (std::ranges::any_of(value, is_control_or_space) || has_unicode_control_or_space(value)) {
        return invalid_input(field, "has whitespace or a control character");
    }
    return {};
}

Result<void> check_text(std::string_view field, std::string_view value, std::size_t max_bytes) {
    if (value.size() > max_bytes) return too_long(field, max_bytes);
    if (value.find('\0') != std::string_view::npos) return invalid_input(field, "contains a NUL character");
    if (!is_valid_utf8(value)) return invalid_input(field, "is not valid UTF-8");
    return {};
}

Result<void> check_line(std::string_view field, std::string_view value, std::size_t max_bytes) {
    if (auto checked = check_text(field, value, max_bytes); !checked) return checked;
    if (std::ranges::any_of(value, [](char c) { return c != ' ' && is_control_or_space(c); })) {
        return invalid_input(field, "has a control character");
    }
    return {};
}

Result<void> check_tag_key(std::string_view key) {
    if (key.size() <= max_label_bytes && is_tag_key(key)) return {};
    return invalid_input("tags." + printable_excerpt(key), "not a tag key: expected owner.name in a-z, 0-9, _");
}

Result<void> check_tags(const Tags& tags) {
    std::size_t bytes = 0;
    for (const auto& [key, value] : tags) {
        bytes += key.size() + value.size();
        if (auto checked = check_tag_key(key); !checked) return checked;
        if (auto checked = check_text("tags." + key, value, max_tag_bytes); !checked) return checked;
    }
    if (bytes > max_tags_bytes) {
        return invalid_input("tags", "longer than " + std::to_string(max_tags_bytes) + " bytes together");
    }
    return {};
}

Result<std::vector<std::string>> normalise_capabilities(std::string_view side, std::vector<std::string> tokens) {
    const auto refuse = [&](std::string_view why) {
        return EngineError{.kind = ErrorKind::invalid_capabilities,
                           .detail = std::string(side).append(":").append(why)};
    };
    if (tokens.size() > max_capabilities) return refuse("more than " + std::to_string(max_capabilities) + " tokens");
    std::size_t csv_bytes = tokens.empty() ? 0 : tokens.size() - 1;
    for (const std::string& token : tokens) {
        if (token.empty()) return refuse("empty token");
        if (token.find(',') != std::string::npos) return refuse("comma in token");
        if (std::ranges::any_of(token, is_control_or_space)) return refuse("control or whitespace in token");
        if (!is_valid_utf8(token)) return refuse("token is not valid UTF-8");
        csv_bytes += token.size();
    }
    if (csv_bytes > max_capability_bytes) {
        return refuse("longer than " + std::to_string(max_capability_bytes) + " bytes");
    }
    std::ranges::sort(tokens);
    tokens.erase(std::ranges::unique(tokens).begin(), tokens.end());
    return tokens;
}

std::string csv_of(const std::vector<std::string>& tokens) {
    std::string csv;
    for (const std::string& token : tokens) csv += (csv.empty() ? "" : ",") + token;
    return csv;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return parts;
}

}  // namespace flowfabric
