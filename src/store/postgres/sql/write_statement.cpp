#include "store/postgres/sql/write_statement.hpp"

#include <utility>

namespace flowfabric::postgres {
namespace {

// Fewer rows than these are not worth a form of their own.
constexpr std::size_t worth_learning = 16;
// A statement whose rows have ever less in common goes without.
constexpr std::size_t most_learned = 4;

}  // namespace

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
    const Form& form = form_for(statement, rows);
    Params params = std::move(rows).finish(form.plain);
    params.append(further);
    connection_.send(form.statement, params);
}

const WriteForms::Form& WriteForms::form_for(const WriteStatement& statement, const RowParams& rows) {
    Forms& forms = forms_[&statement];
    const Shape shape = rows.shape();
    if (shape == Shape::many_rows && rows.count() >= worth_learning) {
        const ColumnSet uniform = rows.uniform();
        const bool fits = !forms.learned.empty() && (forms.learned.back().plain & ~uniform).none();
        if (!fits && forms.learned.size() < most_learned) {
            ColumnSet plain = uniform;
            if (!forms.learned.empty()) plain &= forms.learned.back().plain;
            plain |= statement.shared;
            const std::string name = statement.name + "_shared_" + std::to_string(forms.learned.size());
            forms.learned.push_back({plain, {name, statement.text(plain), statement.on_mismatch}});
            return forms.learned.back();
        }
        if (fits) return forms.learned.back();
    }
    auto& form = shape == Shape::one_row ? forms.one : forms.many;
    if (!form) form = Form{statement.plain_in(shape), statement.in(shape)};
    return *form;
}

}  // namespace flowfabric::postgres
