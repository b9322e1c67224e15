# agt_add_library(NAME src... [MLIR] [LINK target...] [DEPENDS target...]): one
# static library a folder. Headers are included from the repository root
# ("dialect/Agt/..."). MLIR is for code that includes MLIR's headers, of which
# the usual ones are precompiled once (target agt_mlir_pch); DEPENDS names what
# has to be generated first.
function(agt_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(ARG_MLIR)
    agt_use_mlir(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# agt_add_tool(NAME src... [LINK target...]): an executable in build/bin.
function(agt_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_MLIR)
    agt_use_mlir(${name})
  endif()
endfunction()

# MLIR and LLVM as shared libraries, their headers without our warnings, and
# the shared precompiled header.
function(agt_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${target} PUBLIC MLIR LLVM)
  target_precompile_headers(${target} REUSE_FROM agt_mlir_pch)
  # The header is compiled as for a library; an executable's -fPIE would not
  # fit it.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# LLVM alone, for what needs no MLIR.
function(agt_use_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_link_libraries(${target} PUBLIC LLVM)
endfunction()

if(AGT_BUILD_COMPILER)
  file(WRITE ${CMAKE_BINARY_DIR}/agt_mlir_pch.cpp "")
  add_library(agt_mlir_pch STATIC ${CMAKE_BINARY_DIR}/agt_mlir_pch.cpp)
  target_include_directories(agt_mlir_pch SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_include_directories(agt_mlir_pch PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_precompile_headers(agt_mlir_pch PRIVATE
    <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h>
    <mlir/IR/Dialect.h> <mlir/IR/MLIRContext.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h> <mlir/Interfaces/SideEffectInterfaces.h>
    <mlir/Interfaces/FunctionInterfaces.h> <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Func/IR/FuncOps.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Pass/Pass.h> <llvm/ADT/StringSwitch.h> <llvm/Support/SourceMgr.h>
    <functional> <map> <memory> <string> <vector>)
endif()
