# Run as a script: cmake -DSTORE=… -DDIRECTORY=… -DNAMES=a.sql,b.sql -DOUTPUT=… -P embed_migrations.cmake
cmake_minimum_required(VERSION 3.25)

set(delimiter "ff_migration_sql")
string(REPLACE "," ";" names "${NAMES}")
list(SORT names)
list(LENGTH names count)

set(rows "")
set(previous "")
foreach(file IN LISTS names)
    if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)\\.sql$")
        message(FATAL_ERROR "${DIRECTORY}/${file}: a migration is named NNNN_name.sql")
    endif()
    set(digits "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    if(digits STREQUAL previous)
        message(FATAL_ERROR "${DIRECTORY}/${file}: two migrations have the version ${digits}")
    endif()
    set(previous "${digits}")
    string(REGEX REPLACE "^0+([0-9])" "\\1" version "${digits}")

    file(READ "${DIRECTORY}/${file}" sql)
    string(FIND "${sql}" ")${delimiter}\"" clash)
    if(NOT clash EQUAL -1)
        message(FATAL_ERROR "${DIRECTORY}/${file}: contains the raw string delimiter ${delimiter}")
    endif()
    string(FIND "${sql}" "\n" first_line_end)
    string(SUBSTRING "${sql}" 0 ${first_line_end} first_line)
    string(FIND "${first_line}" "-- compatible" marker)
    if(marker EQUAL -1)
        set(compatible "false")
    else()
        set(compatible "true")
    endif()
    string(APPEND rows "    Migration{${version}, \"${name}\", R\"${delimiter}(${sql})${delimiter}\", ${compatible}},\n")
endforeach()

if(count EQUAL 0)
    set(body "std::span<const Migration> migrations() { return {}; }\n")
else()
    set(body "namespace {
constexpr Migration all[] = {
${rows}};
}  // namespace

std::span<const Migration> migrations() { return all; }
")
endif()

file(WRITE "${OUTPUT}" "#include \"store/${STORE}/migrations.hpp\"

#include <span>

#include \"store/migration.hpp\"

namespace flowfabric::${STORE} {
${body}}  // namespace flowfabric::${STORE}
")
