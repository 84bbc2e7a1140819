// SPDX-License-Identifier: Apache-2.0
#include "redis/blocking_connection_support.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "redis/scripts.hpp"

namespace weir::redis {
namespace {

int connect_to(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return socket;
  ::close(socket);
  return -1;
}

std::string in_words(const wire::resp::Reply& reply, std::size_t index) {
  using Type = wire::resp::Node::Type;
  const auto& node = reply[index];
  if (node.is(Type::null)) return "nil";
  if (node.is(Type::integer)) return std::to_string(node.integer);
  if (!node.is(Type::array)) return std::string(node.text);
  std::string words = "[";
  for (std::size_t at = index + 1; at < node.end; at = reply[at].end) {
    if (words.size() > 1) words += ' ';
    words += in_words(reply, at);
  }
  return words + "]";
}

}  // namespace

BlockingConnection::BlockingConnection(const std::string& socket_path)
    : socket_(connect_to(socket_path)) {
  if (socket_ < 0) throw std::runtime_error("redis-server is not there");
  for (const Script& script : all_scripts()) ask({"SCRIPT", "LOAD", script.source});
}

BlockingConnection::~BlockingConnection() { ::close(socket_); }

std::string BlockingConnection::ask(std::initializer_list<std::string_view> arguments) {
  std::string bytes;
  wire::resp::append_command(bytes, {arguments.begin(), arguments.size()});
  write(bytes);
  return in_words(read(), 0);
}

std::int64_t BlockingConnection::number(std::initializer_list<std::string_view> arguments) {
  ask(arguments);
  return reply_.root().integer;
}

void BlockingConnection::run(Exchange& exchange) {
  write(exchange.bytes);
  for (std::size_t command = 0; command < exchange.ends.size(); ++command) {
    exchange.on_reply(exchange, command, read());
  }
  if (exchange.on_end != nullptr) exchange.on_end(exchange, Exchange::End::replied);
}

void BlockingConnection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw std::runtime_error("redis-server does not read");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

const wire::resp::Reply& BlockingConnection::read() {
  input_.erase(0, parsed_);
  parsed_ = 0;
  while (true) {
    const auto parsed = wire::resp::parse_reply(input_, reply_);
    parsed_ = parsed.bytes;
    if (parsed.status == wire::resp::ParsedReply::Status::reply) return reply_;
    if (parsed.status == wire::resp::ParsedReply::Status::error) {
      throw std::runtime_error("redis-server speaks no RESP");
    }
    char bytes[16384];
    const ssize_t received = ::recv(socket_, bytes, sizeof bytes, 0);
    if (received <= 0) throw std::runtime_error("redis-server does not answer");
    input_.append(bytes, static_cast<std::size_t>(received));
  }
}

}  // namespace weir::redis
