# What is kept in the store, and how it is asked.
include(embed_scripts.cmake)
weir_embed_scripts(${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp
  ${CMAKE_CURRENT_SOURCE_DIR}/scripts/bucket.lua
  ${CMAKE_CURRENT_SOURCE_DIR}/scripts/decide.lua)
weir_library(redis_scripts SOURCES ${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp)
