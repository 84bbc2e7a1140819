# What is kept in the store, and how it is asked.
include(embed_scripts.cmake)
weir_embed_scripts(${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp bucket states+log+decide)
weir_library(redis_scripts SOURCES ${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp)
weir_library(redis_codec
  SOURCES bucket_scale.cpp codec.cpp codec_replies.cpp found.cpp key_name.cpp
  DEPS weir_redis_scripts weir_wire weir_store)
weir_test(redis_codec
  SOURCES codec_history_test.cpp codec_request_test.cpp redis_server_support.cpp
  DEPS weir_redis_codec rapidcheck TIMEOUT 300)
