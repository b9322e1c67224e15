# Everything comes from Debian's packages; quickstart.sh and test.sh install it.
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

if(AGT_BUILD_COMPILER)
  execute_process(COMMAND llvm-config-22 --prefix
                  OUTPUT_VARIABLE AGT_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  find_package(MLIR REQUIRED CONFIG PATHS ${AGT_LLVM_PREFIX}/lib/cmake/mlir NO_DEFAULT_PATH)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  find_program(AGT_ANTLR4 antlr4 REQUIRED)
  find_path(AGT_ANTLR4_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)
  find_library(AGT_ANTLR4_LIBRARY antlr4-runtime REQUIRED)
endif()
if(AGT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
