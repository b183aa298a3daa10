#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

namespace flowfabric {

// One `Of<Row>` for every row type of a list, in its order. Bases instead of a tuple, which would take every file that
// sees one a second to compile.
template <template <class> class Of, class... Row>
class Every : private Of<Row>... {
  public:
    // Where a type stands in the list.
    template <class R>
    static constexpr std::size_t position_of = [] {
        constexpr std::array same{std::is_same_v<R, Row>...};
        std::size_t position = 0;
        while (!same[position]) ++position;
        return position;
    }();

    Every() = default;

    template <class R>
    Of<R>& of() {
        return *this;
    }
    template <class R>
    const Of<R>& of() const {
        return *this;
    }

    template <class Visit>
    void each(Visit&& visit) {
        (visit(of<Row>()), ...);
    }
    template <class Visit>
    void each(Visit&& visit) const {
        (visit(of<Row>()), ...);
    }

    bool operator==(const Every&) const = default;
};

}  // namespace flowfabric
