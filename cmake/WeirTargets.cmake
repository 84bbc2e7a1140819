# The kinds of target in this project. Warnings are errors for us and stay private: who uses the library
# inherits none of our flags.

option(WEIR_SANITIZE "Sanitizers to build with: address,undefined or thread" "")
set(WEIR_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined', 'thread' or empty")

add_library(weir_flags INTERFACE)
target_compile_options(weir_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-psabi -Werror)
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()

find_package(GTest REQUIRED)

# weir_library(NAME SOURCES ... DEPS ...): the folder src/NAME as the static library weir_NAME.
function(weir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(weir_${name} STATIC ${ARG_SOURCES})
  target_include_directories(weir_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(weir_${name} PUBLIC ${ARG_DEPS} PRIVATE weir_flags ${ARG_PRIVATE_DEPS})
endfunction()

# weir_test(NAME SOURCES ... DEPS ...): the test binary NAME_test, run whole by ctest as NAME.
function(weir_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_compile_definitions(${name}_test PRIVATE WEIR_TEST_DATA="${CMAKE_SOURCE_DIR}/test/data")
  target_link_libraries(${name}_test PRIVATE weir_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_test)
endfunction()
