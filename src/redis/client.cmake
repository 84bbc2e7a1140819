# The way to the store: machines without I/O, and the shell that moves their bytes.
weir_library(redis_client
  SOURCES options.cpp slot.cpp url_parts.cpp
  DEPS weir_wire weir_limit)
weir_test(redis_client
  SOURCES options_test.cpp slot_test.cpp
  DEPS weir_redis_client rapidcheck)
