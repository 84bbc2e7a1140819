# How everything in this build is compiled. What the presets set stands here with its meaning.

set(WEIR_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined', 'thread' or empty")
set(WEIR_SUITES "" CACHE STRING
  "Run the tests with one of these labels; empty: all that need no release build")
set(WEIR_TEST_PREFIX "" CACHE STRING "Put before each test's name, to tell trees apart")
option(WEIR_FUZZ "Build the fuzzers with libFuzzer (clang); else they replay their corpus" OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_CXX_STANDARD_REQUIRED ON)
  set(CMAKE_CXX_EXTENSIONS OFF)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

# Warnings are errors for us and private: who uses the library inherits none of our flags.
add_library(weir_flags INTERFACE)
target_compile_options(weir_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-psabi)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(weir_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string that are not there (its bug 105651).
  target_compile_options(weir_flags INTERFACE -Wno-restrict)
endif()

if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
if(WEIR_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Asio has fences, which ThreadSanitizer does not see; its locks are what threads rely on. And
  # with its calls in between, GCC 12 believes that std::sort leaves small arrays.
  target_compile_options(weir_flags INTERFACE -Wno-tsan -Wno-array-bounds)
endif()
if(WEIR_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
