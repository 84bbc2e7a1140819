// SPDX-License-Identifier: Apache-2.0
// A connection's socket: TCP, a unix socket, or TLS.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "redis/options.hpp"

namespace boost::asio {
class io_context;
}

namespace weir::redis {

/// What both ends of TLS are to know, read from its files when it is first needed, so that files
/// which come late or are mended are found.
class TlsFiles {
 public:
  explicit TlsFiles(const Tls& tls);
  ~TlsFiles();

 private:
  friend class Stream;
  struct Context;
  const Tls& tls_;
  std::unique_ptr<Context> context_;
};

/// One attempt to connect, and what comes of it. It calls back with an error's text, which is empty
/// where there was none, and never from within a call, nor after `close`.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  using Done = std::function<void(std::string_view error)>;
  using DoneWith = std::function<void(std::string_view error, std::size_t count)>;

  /// `limit` is for names, the connection and TLS together.
  static std::shared_ptr<Stream> dial(boost::asio::io_context& io, const Address& address,
                                      TlsFiles* tls, Duration limit, Done done);
  virtual ~Stream() = default;

  /// One at a time; `room` stays where it is until it calls back or is closed.
  virtual void read(std::span<char> room, DoneWith done) = 0;
  virtual void write(std::string_view bytes, Done done) = 0;
  virtual void close() noexcept = 0;
};

}  // namespace weir::redis
