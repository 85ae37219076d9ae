# Warnings, and the arithmetic that the promise "the same input gives the same bits" rests on:
# no fast-math, no contraction of a*b+c into a fused operation that another machine may lack.
add_library(carom_compiler INTERFACE)
target_compile_features(carom_compiler INTERFACE cxx_std_20)
target_compile_options(carom_compiler INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                # designated initialisers leave defaults out on purpose
                                                -Wno-missing-field-initializers
                                                -ffp-contract=off)
# g++ 12 warns of its own string code at -O3
target_compile_options(carom_compiler INTERFACE
                       "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>")

# Tests run the library, which is optimised. Their own code need not be, and so compiles in two thirds of the time.
add_library(carom_test_compiler INTERFACE)
target_link_libraries(carom_test_compiler INTERFACE carom_compiler)
target_compile_options(carom_test_compiler INTERFACE "$<$<CONFIG:Release>:-O1;-Wno-maybe-uninitialized>")

# Headers that nearly every file reads, read once: half the time of a cold build went there. A file still includes
# what it uses, and compiles without this.
set(carom_common_headers <Eigen/Dense> <algorithm> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>)

# carom_precompile(NAME COMPILER HEADERS...): an object library whose precompiled headers others take over.
function(carom_precompile name compiler)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${compiler} Eigen3::Eigen fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()
