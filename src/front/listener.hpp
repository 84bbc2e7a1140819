// SPDX-License-Identifier: Apache-2.0
// A listening socket: the address a user writes becomes a socket that is bound to it.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include <weir/result.hpp>

#include "front/fd.hpp"

namespace weir::front {

/// `host:port`, `[v6]:port`, `:port` or `unix:PATH`, taken apart.
struct Endpoint {
  std::string host;  ///< empty: all addresses
  std::string port;  ///< decimal, 0 to 65535
  std::string path;  ///< of a unix socket; then the others are empty

  [[nodiscard]] static Result<Endpoint> parse(std::string_view text);
};

/// Listens until it ends. A unix socket's file goes with it.
class Listener {
 public:
  /// A unix socket gets the permissions `unix_mode`. Its file is taken over only where nobody
  /// listens on it any more; anything else that stands there is an error.
  [[nodiscard]] static Result<Listener> open(std::string_view address, mode_t unix_mode);

  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

  /// The address in full, with the port that was taken: `127.0.0.1:40123`, `[::]:80`,
  /// `unix:weir.sock`.
  [[nodiscard]] const std::string& bound() const noexcept { return bound_; }

 private:
  /// Which file the socket is, to remove no other: another process may have replaced it.
  struct File {
    std::string path;
    dev_t device = 0;
    ino_t inode = 0;
  };

  Listener(Fd fd, std::string bound, File file)
      : fd_(std::move(fd)), bound_(std::move(bound)), file_(std::move(file)) {}

  static Result<Listener> open_unix(const std::string& path, mode_t mode);
  static Result<Listener> open_tcp(std::string_view address, const Endpoint& endpoint);

  Fd fd_;
  std::string bound_;
  File file_;
};

}  // namespace weir::front
