# What nearly every source includes, compiled once. Half of the time to compile most of them went into it.
set(FF_COMMON_HEADERS
    <algorithm> <array> <chrono> <condition_variable> <cstdint> <deque> <functional> <map> <memory> <mutex> <optional>
    <set> <string> <string_view> <thread> <unordered_map> <unordered_set> <utility> <variant> <vector>
    <boost/json.hpp>
)
# Otherwise the compiler takes these headers for the system's and keeps its warnings about ours to itself.
set(CMAKE_PCH_PROLOGUE "")

# ff_precompile(NAME HEADERS header... DEPENDS target... [OPTIONS option...])
# Headers that targets with the same options take over: target_precompile_headers(… REUSE_FROM NAME).
function(ff_precompile name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;DEPENDS;OPTIONS")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "")
    add_library(${name} OBJECT "${source}")
    target_link_libraries(${name} PRIVATE ${arg_DEPENDS})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/cmake/precompile")
endfunction()

# Several sources of a target in one translation unit: what they all include and instantiate is compiled once. Names in
# anonymous namespaces must differ within the target.
function(ff_compile_together target)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${FF_UNITY} UNITY_BUILD_BATCH_SIZE 10)
endfunction()

# ff_module(NAME [TOGETHER] [SOURCES file...] [DEPENDS target...])
# A static library, or an interface one for as long as it has no source.
function(ff_module name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "TOGETHER" "" "SOURCES;DEPENDS")
    if(arg_SOURCES)
        add_library(${name} STATIC ${arg_SOURCES})
        set(scope PUBLIC)
    else()
        add_library(${name} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${name} ${scope} "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${name} ${scope} ${arg_DEPENDS})
    if(arg_SOURCES)
        target_precompile_headers(${name} REUSE_FROM ff_headers)
    endif()
    if(arg_SOURCES AND arg_TOGETHER)
        ff_compile_together(${name})
    endif()
endfunction()

# ff_embed_migrations(STORE OUT_VARIABLE)
# Compiles <current directory>/schema/*.sql, and migrations/*.sql if there are any, into flowfabric::STORE::migrations(),
# declared in migrations.hpp.
function(ff_embed_migrations store out)
    set(arguments "")
    set(scripts "")
    foreach(folder schema migrations)
        file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.sql")
        list(APPEND scripts ${files})
        list(TRANSFORM files REPLACE "^.*/" "")
        # The names are part of the command so that removing a script regenerates the file too.
        list(JOIN files "," names)
        string(TOUPPER "${folder}" variable)
        list(APPEND arguments "-D${variable}=${names}")
    endforeach()
    set(generated "${CMAKE_CURRENT_BINARY_DIR}/migrations.cpp")
    set(generator "${PROJECT_SOURCE_DIR}/cmake/embed_migrations.cmake")
    add_custom_command(
        OUTPUT "${generated}"
        COMMAND "${CMAKE_COMMAND}" "-DSTORE=${store}" "-DDIRECTORY=${CMAKE_CURRENT_SOURCE_DIR}" ${arguments}
                "-DOUTPUT=${generated}" -P "${generator}"
        DEPENDS ${scripts} "${generator}"
        COMMENT "Embedding the schema of ${store}"
        VERBATIM
    )
    set(${out} "${generated}" PARENT_SCOPE)
endfunction()

# ff_embed_files(FUNCTION DIRECTORY OUT_VARIABLE)
# Compiles the files of a folder into flowfabric::server::FUNCTION(), which gives each with its media type.
function(ff_embed_files function directory out)
    file(GLOB files CONFIGURE_DEPENDS "${directory}/*")
    set(names ${files})
    list(TRANSFORM names REPLACE "^.*/" "")
    list(JOIN names "," names)
    set(generated "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
    set(generator "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake")
    add_custom_command(
        OUTPUT "${generated}"
        COMMAND "${CMAKE_COMMAND}" "-DFUNCTION=${function}" "-DDIRECTORY=${directory}" "-DFILES=${names}"
                "-DOUTPUT=${generated}" -P "${generator}"
        DEPENDS ${files} "${generator}"
        COMMENT "Embedding ${directory}"
        VERBATIM
    )
    set(${out} "${generated}" PARENT_SCOPE)
endfunction()
