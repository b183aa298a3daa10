#include "store/postgres/sql/write_statement.hpp"

#include <utility>

namespace flowfabric::postgres {

ColumnSet WriteStatement::plain_in(Shape shape) const {
    if (shape == Shape::many_rows) return shared;
    ColumnSet all;
    for (std::size_t i = 0; i < columns; ++i) all.set(i);
    return all;
}

Statement WriteStatement::in(Shape shape) const {
    return {shape == Shape::one_row ? name + "_single" : name, text(plain_in(shape)), on_mismatch};
}

void WriteForms::send(const WriteStatement& statement, RowParams rows, const Params& further) {
    const Shape shape = rows.shape();
    Forms& forms = forms_[&statement];
    auto& form = shape == Shape::one_row ? forms.one : forms.many;
    if (!form) form = statement.in(shape);
    Params params = std::move(rows).finish(statement.plain_in(shape));
    params.append(further);
    connection_.send(*form, params);
}

}  // namespace flowfabric::postgres
