add_compile_options(
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wconversion
    -Wnon-virtual-dtor
    -Woverloaded-virtual
    -Wimplicit-fallthrough
    -Wno-missing-field-initializers # what a designated initialiser leaves out has its default
    -Werror
)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 reports overlaps inside std::string's own concatenation (GCC bug 105651), and the inactive members of a
    # std::variant that is moved as uninitialised (GCC bug 105562 and its kin).
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess) # for ccache
endif()

if(FF_SANITIZE)
    add_compile_options(-fsanitize=${FF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${FF_SANITIZE})
    if(FF_SANITIZE MATCHES "undefined")
        # Checks of each pointer that AddressSanitizer reports as well, and that are slow to compile.
        add_compile_options(-fno-sanitize=null,alignment,vptr,object-size)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        if(FF_SANITIZE MATCHES "thread")
            # Boost and libstdc++ use atomic_thread_fence, which GCC's TSan does not model.
            add_compile_options(-Wno-tsan)
        endif()
    endif()
endif()
