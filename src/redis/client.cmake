# The way to the store: machines without I/O, and the shell that moves their bytes.
weir_library(redis_client
  SOURCES asker.cpp backoff.cpp breaker.cpp client.cpp clock_offset.cpp exchange_table.cpp
    handshake.cpp inquiry.cpp node.cpp node_replies.cpp options.cpp redirection.cpp router.cpp
    sentinel.cpp sentinel_watch.cpp slot.cpp slot_map.cpp stream.cpp url_parts.cpp
  DEPS weir_wire weir_limit
  PRIVATE_DEPS Boost::headers OpenSSL::SSL Threads::Threads)
weir_test(redis_client
  SOURCES machines_test.cpp node_test.cpp options_test.cpp router_test.cpp slot_test.cpp
  DEPS weir_redis_client rapidcheck)
weir_test(redis_servers
  SOURCES client_test.cpp server_test_support.cpp
  DEPS weir_redis_client Boost::headers Threads::Threads)
weir_test(redis_topologies
  SOURCES server_test_support.cpp topology_test.cpp
  DEPS weir_redis_client Boost::headers Threads::Threads
  TIMEOUT 300)
