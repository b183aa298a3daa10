include(CheckCXXSourceCompiles)

find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS json url)
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)

# Another Boost earlier on the include path would compile against one version and link the other.
set(CMAKE_REQUIRED_LIBRARIES Boost::headers)
set(CMAKE_REQUIRED_QUIET ON)
check_cxx_source_compiles(
    "#include <boost/version.hpp>
     static_assert(BOOST_VERSION / 100 == ${Boost_VERSION_MAJOR} * 1000 + ${Boost_VERSION_MINOR});
     int main() {}"
    FF_BOOST_HEADERS_MATCH_${Boost_VERSION_MAJOR}_${Boost_VERSION_MINOR}
)
unset(CMAKE_REQUIRED_LIBRARIES)
unset(CMAKE_REQUIRED_QUIET)
if(NOT FF_BOOST_HEADERS_MATCH_${Boost_VERSION_MAJOR}_${Boost_VERSION_MINOR})
    message(FATAL_ERROR "The compiler finds Boost headers of another version than Boost ${Boost_VERSION}; "
                        "check CPATH and -I flags.")
endif()

if(NOT FF_SANITIZED_SUBSET)
    find_package(CLI11 CONFIG REQUIRED)
    find_package(ZLIB REQUIRED)
    find_package(prometheus-cpp CONFIG REQUIRED)
endif()
if(FF_BUILD_TESTS)
    find_package(GTest CONFIG REQUIRED)
endif()
