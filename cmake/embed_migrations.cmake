# Run as a script:
#   cmake -DSTORE=… -DDIRECTORY=… -DSCHEMA=10_a.sql,20_b.sql -DMIGRATIONS=0002_c.sql -DOUTPUT=… -P embed_migrations.cmake
#
# Migration 1 is the schema: all files of DIRECTORY/schema, in the order of their names. DIRECTORY/migrations holds what
# came after it, if anything did; a migration says `-- compatible` in its first line if engines without it may stay.
cmake_minimum_required(VERSION 3.25)

set(delimiter "ff_migration_sql")

function(read_sql path out)
    file(READ "${path}" sql)
    string(FIND "${sql}" ")${delimiter}\"" clash)
    if(NOT clash EQUAL -1)
        message(FATAL_ERROR "${path}: contains the raw string delimiter ${delimiter}")
    endif()
    set(${out} "${sql}" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" schema "${SCHEMA}")
string(REPLACE "," ";" migrations "${MIGRATIONS}")
list(SORT schema)
list(SORT migrations)

if(NOT schema)
    message(FATAL_ERROR "${DIRECTORY}/schema: there is no schema")
endif()
set(all_sql "")
foreach(file IN LISTS schema)
    if(NOT file MATCHES "^[0-9][0-9]_[a-z0-9_]+\\.sql$")
        message(FATAL_ERROR "${DIRECTORY}/schema/${file}: a part of the schema is named NN_concept.sql")
    endif()
    read_sql("${DIRECTORY}/schema/${file}" sql)
    string(APPEND all_sql "${sql}\n")
endforeach()
set(rows "    Migration{1, \"schema\", R\"${delimiter}(${all_sql})${delimiter}\", false},\n")

set(expected 1)
foreach(file IN LISTS migrations)
    math(EXPR expected "${expected} + 1")
    if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)\\.sql$")
        message(FATAL_ERROR "${DIRECTORY}/migrations/${file}: a migration is named NNNN_name.sql")
    endif()
    set(name "${CMAKE_MATCH_2}")
    string(REGEX REPLACE "^0+([0-9])" "\\1" version "${CMAKE_MATCH_1}")
    if(NOT version EQUAL expected)
        message(FATAL_ERROR "${DIRECTORY}/migrations/${file}: its version is to be ${expected}")
    endif()
    read_sql("${DIRECTORY}/migrations/${file}" sql)
    set(compatible "false")
    if(sql MATCHES "^[^\n]*-- compatible")
        set(compatible "true")
    endif()
    string(APPEND rows "    Migration{${version}, \"${name}\", R\"${delimiter}(${sql})${delimiter}\", ${compatible}},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"store/${STORE}/migrations.hpp\"

#include <span>

#include \"store/migration.hpp\"

namespace flowfabric::${STORE} {
namespace {
constexpr Migration all[] = {
${rows}};
}  // namespace

std::span<const Migration> migrations() { return all; }
}  // namespace flowfabric::${STORE}
")
