#include "store/postgres/sql/write_statement.hpp"

#include <algorithm>
#include <utility>

namespace flowfabric::postgres {
namespace {

constexpr std::size_t most_forms = 12;
// Fewer are not worth a form of their own.
constexpr std::size_t many = 16;

ColumnSet first_columns(std::size_t count) {
    ColumnSet columns;
    for (std::size_t i = 0; i < count; ++i) columns.set(i);
    return columns;
}

}  // namespace

void WriteForms::send(const WriteStatement& statement, RowParams rows, const Params& further) {
    const Form& form = form_for(statement, rows);
    Params params = std::move(rows).finish(form.shared);
    params.append(further);
    connection_.send(form.statement, params);
}

const WriteForms::Form& WriteForms::form_for(const WriteStatement& statement, const RowParams& rows) {
    auto& forms = forms_[&statement];
    const auto form_of = [&](const ColumnSet& shared) -> const Form& {
        const auto known = std::ranges::find(forms, shared, &Form::shared);
        if (known != forms.end()) return *known;
        const std::string name = statement.name + "_" + std::to_string(forms.size());
        return forms.emplace_back(Form{shared, {name, statement.text(shared), statement.on_mismatch}});
    };
    if (rows.size() == 1) return form_of(first_columns(statement.columns));
    if (rows.size() < many) return form_of(statement.always_shared);

    const ColumnSet uniform = rows.uniform() & ~statement.never_shared;
    if (forms.size() < most_forms) return form_of(uniform);
    const Form* best = &form_of(statement.always_shared);
    for (const Form& form : forms) {
        const bool fits = (form.shared & ~uniform).none();
        if (fits && form.shared.count() > best->shared.count()) best = &form;
    }
    return *best;
}

}  // namespace flowfabric::postgres
