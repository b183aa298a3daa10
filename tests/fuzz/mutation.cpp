#include "fuzz/mutation.hpp"

#include <algorithm>

namespace flowfabric::test {
namespace {

constexpr std::size_t max_bytes = 65'536;

const std::vector<std::string>& stumbling_blocks() {
    static const std::vector<std::string> all{"null",
                                              "true",
                                              "-0",
                                              "0",
                                              "-1",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "18446744073709551616",
                                              "1e400",
                                              "-1E-400",
                                              "0.1",
                                              "\"\"",
                                              "{}",
                                              "[]",
                                              "[[]]",
                                              "{\"\":{}}",
                                              "\\u0000",
                                              "\\ud800",
                                              "\\",
                                              "\"",
                                              ",",
                                              ":",
                                              "{",
                                              "}",
                                              "[",
                                              "]",
                                              "\xFF",
                                              "\xC0\xAF",
                                              "\xED\xA0\x80",
                                              "\xF4\x90\x80\x80",
                                              "\xEF\xBB\xBF",
                                              std::string(1, '\0'),
                                              "%",
                                              "%00",
                                              "%zz",
                                              "/../",
                                              "{fp:256}:",
                                              "{fp:7}:00000000-0000-0000-0000-000000000000",
                                              "\r\n",
                                              "_b64",
                                              "=",
                                              "&"};
    return all;
}

struct Piece {
    std::size_t at;
    std::size_t size;
};

Piece piece_of(const std::string& text, Random& random) {
    const std::size_t at = random.below(text.size() + 1);
    return {at, random.below(std::min<std::size_t>(text.size() - at, 32) + 1)};
}

void mutate_once(std::string& text, Random& random) {
    const Piece piece = piece_of(text, random);
    switch (random.below(7)) {
        case 0:
            text.erase(piece.at, piece.size);
            return;
        case 1:
            text.insert(piece.at, text.substr(piece.at, piece.size));
            return;
        case 2:
            text.insert(piece.at, random.pick(stumbling_blocks()));
            return;
        case 3:
            text.replace(piece.at, piece.size, random.pick(stumbling_blocks()));
            return;
        case 4:
            if (piece.at < text.size()) text[piece.at] = static_cast<char>(random.below(256));
            return;
        case 5: {
            const std::string moved = text.substr(piece.at, piece.size);
            text.erase(piece.at, piece.size);
            text.insert(random.below(text.size() + 1), moved);
            return;
        }
        default: {
            const std::string again = text.substr(piece.at, piece.size);
            for (auto times = random.below(200); times > 0 && text.size() < max_bytes; --times)
                text.insert(piece.at, again);
            return;
        }
    }
}

}  // namespace

std::string mutated(std::string input, Random& random) {
    for (auto times = random.below(8); times > 0; --times) mutate_once(input, random);
    if (input.size() > max_bytes) input.resize(max_bytes);
    return input;
}

}  // namespace flowfabric::test
