#pragma once

namespace flowfabric {

// One `Of<Row>` for every row type of a list, in its order. Bases instead of a tuple, which would take every file that
// sees one a second to compile.
template <template <class> class Of, class... Row>
class Every : private Of<Row>... {
  public:
    Every() = default;
    // Each is made from `arg`.
    template <class Arg>
    explicit Every(const Arg& arg) : Of<Row>(arg)... {}

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
