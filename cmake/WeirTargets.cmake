# The kinds of target in this project.

# weir_library(NAME SOURCES ... DEPS ... PRIVATE_DEPS ...): the folder src/NAME as the static
# library weir_NAME.
function(weir_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS")
  add_library(weir_${name} STATIC ${ARG_SOURCES})
  target_compile_features(weir_${name} PUBLIC cxx_std_20)
  target_include_directories(weir_${name}
    PUBLIC ${weir_SOURCE_DIR}/src ${weir_SOURCE_DIR}/include)
  target_link_libraries(weir_${name} PUBLIC ${ARG_DEPS} PRIVATE weir_flags ${ARG_PRIVATE_DEPS})
endfunction()

# weir_test(NAME SOURCES ... DEPS ... [LABELS ...] [TIMEOUT SECONDS]): the GoogleTest binary
# NAME_test, run whole by ctest as NAME. The label `threads` has it run under ThreadSanitizer too.
function(weir_test name)
  if(NOT WEIR_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS")
  add_executable(${name}_test ${ARG_SOURCES})
  target_compile_definitions(${name}_test PRIVATE WEIR_TEST_DATA="${weir_SOURCE_DIR}/test/data")
  target_link_libraries(${name}_test
    PRIVATE weir_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  weir_add_test(${name}
    COMMAND ${name}_test NEEDS ${name}_test LABELS unit ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
endfunction()

# weir_add_test(NAME COMMAND ... [NEEDS TARGET...] [LABELS ...] [TIMEOUT SECONDS] [PROPERTIES ...]):
# a test of any kind, if this build tree runs its labels (WEIR_SUITES). The target weir_tests builds
# what the tests of the tree need, and nothing else.
if(WEIR_TESTS)
  add_custom_target(weir_tests)
endif()

function(weir_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "TIMEOUT" "COMMAND;NEEDS;LABELS;PROPERTIES")
  _weir_tree_runs("${ARG_LABELS}" runs)
  if(NOT WEIR_TESTS OR NOT runs)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(test ${WEIR_TEST_PREFIX}${name})
  add_test(NAME ${test} COMMAND ${ARG_COMMAND})
  set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
    ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1" ${ARG_PROPERTIES})
  if(ARG_NEEDS)
    add_dependencies(weir_tests ${ARG_NEEDS})
  endif()
endfunction()

function(_weir_tree_runs labels result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT WEIR_SUITES AND NOT "release" IN_LIST labels AND NOT "bench" IN_LIST labels)
    set(${result} TRUE PARENT_SCOPE)
  endif()
  foreach(label IN LISTS labels)
    if(label IN_LIST WEIR_SUITES)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# weir_fuzz(NAME SOURCES ... DEPS ...): the fuzzer fuzz_NAME over an LLVMFuzzerTestOneInput. With
# libFuzzer it runs for a few seconds from the seeds in fuzz/corpus/NAME; in any other tree the same
# source replays them, so that an input that was once wrong is tried everywhere.
function(weir_fuzz name)
  if(NOT WEIR_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;DEPS")
  set(corpus ${weir_SOURCE_DIR}/fuzz/corpus/${name})
  set(target fuzz_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE weir_flags ${ARG_DEPS})
  if(WEIR_FUZZ)
    set(found ${CMAKE_CURRENT_BINARY_DIR}/${target}.found)
    file(MAKE_DIRECTORY ${found})
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set(command ${target} -max_total_time=5 -timeout=10 -rss_limit_mb=1024 -max_len=16384
      -print_final_stats=0 -artifact_prefix=${found}/ ${found} ${corpus})
  else()
    target_sources(${target} PRIVATE ${weir_SOURCE_DIR}/fuzz/replay.cpp)
    set(command ${target} ${corpus})
  endif()
  weir_add_test(fuzz.${name} COMMAND ${command} NEEDS ${target} LABELS fuzz)
endfunction()
