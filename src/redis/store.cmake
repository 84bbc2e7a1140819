# What is kept in the store, and how it is asked.
include(embed_scripts.cmake)
weir_embed_scripts(${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp
  bucket kinds+log+one kinds+pack kinds+log+decide kinds+log+carry)
weir_library(redis_scripts SOURCES ${CMAKE_CURRENT_BINARY_DIR}/scripts.cpp)
weir_library(redis_codec
  SOURCES bucket_scale.cpp codec.cpp codec_replies.cpp found.cpp key_name.cpp
  DEPS weir_redis_scripts weir_wire weir_store)
weir_library(redis
  SOURCES blocking_store.cpp loop_part.cpp mover.cpp store.cpp
  DEPS weir_redis_codec weir_redis_client
  PRIVATE_DEPS Boost::headers Threads::Threads)
weir_test(redis_codec
  SOURCES blocking_connection_support.cpp bucket_scale_test.cpp codec_history_test.cpp
    codec_request_test.cpp codec_values_test.cpp found_test.cpp key_name_test.cpp
    server_test_support.cpp
  DEPS weir_redis_codec weir_redis_client Boost::headers Threads::Threads rapidcheck TIMEOUT 300)
weir_test(redis_store
  SOURCES blocking_connection_support.cpp carry_over_test.cpp server_test_support.cpp
    store_test.cpp
  DEPS weir_redis Boost::headers Threads::Threads LABELS threads)
