# The way to the store: machines without I/O, and the shell that moves their bytes.
weir_library(redis_machines
  SOURCES backoff.cpp breaker.cpp clock_offset.cpp exchange_table.cpp handshake.cpp inquiry.cpp
    node.cpp node_replies.cpp options.cpp redirection.cpp router.cpp sentinel.cpp slot.cpp
    slot_map.cpp url_parts.cpp
  DEPS weir_wire weir_limit)
weir_library(redis_client
  SOURCES asker.cpp client.cpp sentinel_watch.cpp stream.cpp
  DEPS weir_redis_machines
  PRIVATE_DEPS Boost::headers OpenSSL::SSL Threads::Threads)
weir_test(redis_machines
  SOURCES machines_test.cpp node_test.cpp options_test.cpp router_test.cpp slot_test.cpp
  DEPS weir_redis_machines rapidcheck)
weir_test(redis_client
  SOURCES client_test.cpp server_test_support.cpp
  DEPS weir_redis_client Boost::headers Threads::Threads)
weir_test(redis_topologies
  SOURCES server_test_support.cpp topology_test.cpp
  DEPS weir_redis_client Boost::headers Threads::Threads
  TIMEOUT 300)
# Counts every allocation of its program, so it has one to itself.
weir_test(redis_client_allocation
  SOURCES client_allocation_test.cpp server_test_support.cpp
  DEPS weir_redis_client Boost::headers Threads::Threads)
