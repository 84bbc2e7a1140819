// SPDX-License-Identifier: Apache-2.0
#include "front/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <system_error>

namespace weir::front {

namespace {

constexpr int backlog = 4096;
constexpr std::string_view unix_prefix = "unix:";

std::string errno_text() { return std::generic_category().message(errno); }

Error cannot(std::string_view what, std::string_view address, const std::string& why) {
  std::string message = "cannot ";
  return Error{message.append(what).append(" ").append(address).append(": ").append(why)};
}

Error bad_address(std::string_view text, std::string_view why) {
  std::string message = "'";
  return Error{message.append(text).append("': ").append(why).append(
      "; an address is host:port, :port or unix:PATH")};
}

bool is_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc{} && end == text.data() + text.size() && port <= 65535;
}

union SocketAddress {
  sockaddr any;
  sockaddr_un un;
  sockaddr_storage storage;
};

SocketAddress unix_address(const std::string& path) {
  SocketAddress address{};
  address.un.sun_family = AF_UNIX;
  std::memcpy(address.un.sun_path, path.c_str(), path.size() + 1);
  return address;
}

Fd stream_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// Whether a process answers on the socket file. A full backlog also is somebody.
bool somebody_listens(const SocketAddress& address) {
  const Fd probe = stream_socket(AF_UNIX);
  return ::connect(probe.get(), &address.any, sizeof address.un) == 0 || errno == EAGAIN;
}

/// Makes way for a new socket: nothing, if nothing stands there.
Result<bool> remove_stale(const std::string& path, const SocketAddress& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return true;
    return cannot("look at", path, errno_text());
  }
  if (!S_ISSOCK(found.st_mode))
    return cannot("listen on", path, "a file that is no socket is there");
  if (somebody_listens(address)) return cannot("listen on", path, "another process listens there");
  if (::unlink(path.c_str()) != 0) return cannot("remove", path, errno_text());
  return true;
}

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

AddressList resolve(const Endpoint& endpoint, int& error) {
  addrinfo hints{};
  hints.ai_family = endpoint.host.empty() ? AF_INET6 : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const char* host = endpoint.host.empty() ? nullptr : endpoint.host.c_str();
  error = ::getaddrinfo(host, endpoint.port.c_str(), &hints, &list);
  if (error != 0 && host == nullptr) {  // a machine without IPv6
    hints.ai_family = AF_INET;
    error = ::getaddrinfo(host, endpoint.port.c_str(), &hints, &list);
  }
  return {list, &::freeaddrinfo};
}

/// The first address, IPv4 before IPv6: what `localhost` means to most clients.
const addrinfo& preferred(const addrinfo& list) {
  for (const addrinfo* one = &list; one != nullptr; one = one->ai_next) {
    if (one->ai_family == AF_INET) return *one;
  }
  return list;
}

std::string bound_name(int fd) {
  SocketAddress address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getsockname(fd, &address.any, &size) != 0 ||
      ::getnameinfo(&address.any, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  std::string name;
  if (address.any.sa_family == AF_INET6) {
    name.append("[").append(host).append("]");
  } else {
    name = host;
  }
  return name.append(":").append(port);
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  Endpoint endpoint;
  if (text.starts_with(unix_prefix)) {
    endpoint.path = text.substr(unix_prefix.size());
    if (endpoint.path.empty()) return bad_address(text, "the path is missing");
    if (endpoint.path.size() >= sizeof(sockaddr_un::sun_path)) {
      return bad_address(text, "the path of a unix socket has at most 107 bytes");
    }
    if (endpoint.path.find('\0') != std::string::npos) return bad_address(text, "NUL in a path");
    return endpoint;
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text, "the port is missing");
  endpoint.port = text.substr(colon + 1);
  if (!is_port(endpoint.port)) return bad_address(text, "a port is a number from 0 to 65535");
  auto host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string_view::npos) {
    return bad_address(text, "an IPv6 address is written in brackets, [::1]:80");
  }
  if (bracketed && host.empty()) return bad_address(text, "nothing between the brackets");
  endpoint.host = host;
  return endpoint;
}

Result<Listener> Listener::open(std::string_view address, mode_t unix_mode) {
  auto endpoint = Endpoint::parse(address);
  if (!endpoint) return Error{endpoint.error()};
  if (!endpoint->path.empty()) return open_unix(endpoint->path, unix_mode);
  return open_tcp(address, *endpoint);
}

Result<Listener> Listener::open_unix(const std::string& path, mode_t mode) {
  const SocketAddress address = unix_address(path);
  if (auto free = remove_stale(path, address); !free) return Error{free.error()};
  Fd fd = stream_socket(AF_UNIX);
  if (!fd) return cannot("open a socket for", path, errno_text());
  if (::bind(fd.get(), &address.any, sizeof address.un) != 0) {
    return cannot("listen on", path, errno_text());
  }
  struct stat made {};
  if (::lstat(path.c_str(), &made) != 0) return cannot("look at", path, errno_text());
  Listener listener(std::move(fd), std::string(unix_prefix) + path,
                    {.path = path, .device = made.st_dev, .inode = made.st_ino});
  // Before `listen` nobody can connect, so the permissions hold from the first connection on.
  if (::chmod(path.c_str(), mode) != 0 || ::listen(listener.fd(), backlog) != 0) {
    return cannot("listen on", path, errno_text());
  }
  return listener;
}

Result<Listener> Listener::open_tcp(std::string_view address, const Endpoint& endpoint) {
  int error = 0;
  const AddressList list = resolve(endpoint, error);
  if (error != 0) return cannot("listen on", address, ::gai_strerror(error));
  const addrinfo& chosen = preferred(*list);
  Fd fd = stream_socket(chosen.ai_family);
  if (!fd) return cannot("open a socket for", address, errno_text());
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (chosen.ai_family == AF_INET6) {
    // An IPv6 address that is named is only itself; `:port` is all addresses of both kinds.
    const int v6_only = endpoint.host.empty() ? 0 : 1;
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &v6_only, sizeof v6_only);
  }
  if (::bind(fd.get(), chosen.ai_addr, chosen.ai_addrlen) != 0 ||
      ::listen(fd.get(), backlog) != 0) {
    return cannot("listen on", address, errno_text());
  }
  std::string name = bound_name(fd.get());
  return Listener(std::move(fd), std::move(name), {});
}

Listener::~Listener() {
  if (!fd_ || file_.path.empty()) return;
  struct stat found {};
  if (::lstat(file_.path.c_str(), &found) == 0 && found.st_dev == file_.device &&
      found.st_ino == file_.inode) {
    ::unlink(file_.path.c_str());
  }
}

}  // namespace weir::front
