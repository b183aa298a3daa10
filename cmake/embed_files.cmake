# Run as a script:
#   cmake -DFUNCTION=… -DDIRECTORY=… -DFILES=a.html,b.css -DOUTPUT=… -P embed_files.cmake
#
# Compiles files as they are into flowfabric::server::FUNCTION(), declared in server/routes/web_file.hpp.
cmake_minimum_required(VERSION 3.25)

set(delimiter "ff_file")
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

string(REPLACE "," ";" files "${FILES}")
set(rows "")
foreach(file IN LISTS files)
    get_filename_component(extension "${file}" LAST_EXT)
    string(SUBSTRING "${extension}" 1 -1 extension)
    if(NOT DEFINED type_${extension})
        message(FATAL_ERROR "${DIRECTORY}/${file}: what is a file of .${extension} served as?")
    endif()
    file(READ "${DIRECTORY}/${file}" text)
    string(FIND "${text}" ")${delimiter}\"" clash)
    if(NOT clash EQUAL -1)
        message(FATAL_ERROR "${DIRECTORY}/${file}: contains the raw string delimiter ${delimiter}")
    endif()
    string(APPEND rows "    WebFile{\"${file}\", \"${type_${extension}}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()

file(WRITE "${OUTPUT}" "#include \"server/routes/web_file.hpp\"

namespace flowfabric::server {
namespace {
constexpr WebFile all[] = {
${rows}};
}  // namespace

std::span<const WebFile> ${FUNCTION}() { return all; }
}  // namespace flowfabric::server
")
