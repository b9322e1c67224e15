# Options and compile flags that hold for every target.
option(AGT_BUILD_COMPILER "Build agtc, agt-opt and the libraries behind them" ON)
option(AGT_BUILD_TESTS "Build unit tests, fuzz targets and benchmarks" ON)
set(AGT_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Assertions stay on: they are cheap beside LLVM's own work. -O1 halves the
# build and costs agtc nothing that shows: its time goes into libLLVM.
set(CMAKE_CXX_FLAGS_RELEASE "-O1")
set(CMAKE_C_FLAGS_RELEASE "-O2")

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter -fno-semantic-interposition)
add_link_options(-fuse-ld=lld)
if(AGT_SANITIZE)
  add_compile_options(-fsanitize=${AGT_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${AGT_SANITIZE})
endif()

find_program(AGT_CCACHE ccache)
if(AGT_CCACHE)
  # Precompiled headers and ccache agree only without PCH time stamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${AGT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${AGT_CCACHE})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang$<SEMICOLON>-fno-pch-timestamp>)
endif()
