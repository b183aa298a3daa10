#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/pfr.hpp>
#include <string>
#include <vector>

#include "store/postgres/sql/execution_updates.hpp"
#include "store/postgres/sql/side_statements.hpp"
#include "unit/store/golden_sql.hpp"

namespace flowfabric::test {
namespace {

using postgres::LookupStatement;
using postgres::Statement;
using postgres::WriteStatement;

// Walks the structs of statements, whatever their members.
class Collector {
  public:
    std::vector<NamedSql> all;

    // Side tables leave out what their rows have no use for.
    void add(const Statement& statement) {
        if (!statement.name.empty()) all.push_back({statement.name, statement.sql});
    }
    void add(const std::string&) {}  // a table's name
    void add(const LookupStatement& statement) {
        add(statement.many);
        add(statement.one);
    }
    void add(const WriteStatement& statement) {
        add(statement.in(postgres::Shape::many_rows));
        add(statement.in(postgres::Shape::one_row));
    }
    template <class T>
    void add(const std::vector<T>& statements) {
        for (const T& each : statements) add(each);
    }
    template <class Statements>
    void add(const Statements& statements) {
        boost::pfr::for_each_field(statements, [this](const auto& member) { add(member); });
    }
};

TEST(PostgresStatements, AreThoseOfTheGoldenFile) {
    Collector collect;
    collect.add(postgres::session_statements());
    collect.add(postgres::schema_statements());
    collect.add(postgres::load_statements());
    collect.add(postgres::save_statements());
    collect.add(postgres::update_executions("update_executions", postgres::all_changeable_columns()));
    collect.add(postgres::read_statements());
    collect.add(postgres::upkeep_statements());
    for (const RowType& type : side_row_types()) collect.add(postgres::side_statements(type));
    expect_golden("postgres.sql", collect.all);
}

}  // namespace
}  // namespace flowfabric::test
