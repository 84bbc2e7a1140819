// SPDX-License-Identifier: Apache-2.0
#include "front/socket_test_support.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "front/listener.hpp"

namespace weir::front {

namespace {

Fd connect_unix(const std::string& path) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(fd.get(), any, sizeof address) != 0) throw std::runtime_error("connect " + path);
  return fd;
}

Fd connect_tcp(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &hints, &list) != 0) {
    throw std::runtime_error("resolve " + endpoint.host);
  }
  Fd fd(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int failed = ::connect(fd.get(), list->ai_addr, list->ai_addrlen);
  ::freeaddrinfo(list);
  if (failed != 0) throw std::runtime_error("connect " + endpoint.host + ":" + endpoint.port);
  return fd;
}

}  // namespace

TestClient::TestClient(const std::string& address) {
  const Endpoint endpoint = Endpoint::parse(address).value();
  fd_ = endpoint.path.empty() ? connect_tcp(endpoint) : connect_unix(endpoint.path);
}

void TestClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const auto count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) return;  // the peer is gone: reading will tell
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void TestClient::finish_sending() const { ::shutdown(fd_.get(), SHUT_WR); }

bool TestClient::read_more() {
  char bytes[65536];
  const auto count = ::recv(fd_.get(), bytes, sizeof bytes, 0);
  if (count <= 0) return false;
  read_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

std::string TestClient::read_until(std::string_view end) {
  std::size_t found = 0;
  while ((found = read_.find(end)) == std::string::npos) {
    if (!read_more()) return std::exchange(read_, {});
  }
  return read_exactly(found + end.size());
}

std::string TestClient::read_exactly(std::size_t count) {
  while (read_.size() < count && read_more()) {
  }
  count = std::min(count, read_.size());
  std::string taken = read_.substr(0, count);
  read_.erase(0, count);
  return taken;
}

std::string TestClient::read_to_end() {
  while (read_more()) {
  }
  return std::exchange(read_, {});
}

void TestClient::reset_hard() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_ = Fd();
}

class LineDoor::LineSession final : public Session {
 public:
  LineSession(LineDoor& door, unsigned loop, Waker* waker)
      : door_(door), loop_(loop), waker_(waker) {}

  Progress on_bytes(Time now, std::string_view input, std::string& output) override {
    Progress progress;
    for (int lines = 0; lines < most_lines; ++lines) {
      const auto end = input.find('\n', progress.eaten);
      if (end == std::string_view::npos) return progress;
      const auto line = input.substr(progress.eaten, end - progress.eaten);
      progress.eaten = end + 1;
      answer(now, line, progress, output);
      if (progress.next != Progress::Next::read) return progress;
    }
    if (progress.eaten < input.size()) progress.next = Progress::Next::again;
    return progress;
  }

  Progress on_wake(Time, std::string& output) override {
    holding_ = false;
    output += "woken\n";
    return {};
  }

  void on_close(Time) noexcept override {
    const std::lock_guard lock(door_.mutex_);
    std::erase_if(door_.holders_, [this](const auto& one) { return one.second == waker_; });
    ++door_.closed_;
    if (holding_) ++door_.closed_holding_;
  }

  [[nodiscard]] bool idle() const noexcept override { return !holding_; }

 private:
  void answer(Time now, std::string_view line, Progress& progress, std::string& output) {
    const auto number = [&line] {
      return std::stoll(std::string(line.substr(line.find(' ') + 1)));
    };
    if (line.starts_with("wait ")) {
      holding_ = true;
      progress.next = Progress::Next::wait;
      progress.wake_at = now + std::chrono::milliseconds(number());
    } else if (line == "hold") {
      holding_ = true;
      progress.next = Progress::Next::wait;
      const std::lock_guard lock(door_.mutex_);
      door_.holders_.emplace_back(loop_, waker_);
    } else if (line.starts_with("big ")) {
      output.append(static_cast<std::size_t>(number()), 'x').append("\n");
    } else if (line == "throw") {
      throw std::runtime_error("asked for");
    } else {
      output.append(line).append("\n");
      if (line == "close") progress.next = Progress::Next::close;
    }
  }

  LineDoor& door_;
  unsigned loop_;
  Waker* waker_;
  bool holding_ = false;
};

class LineDoor::LineFactory final : public SessionFactory {
 public:
  LineFactory(LineDoor& door, unsigned loop) : door_(door), loop_(loop) {}

  std::unique_ptr<Session> make(const Peer& peer) override {
    const std::lock_guard lock(door_.mutex_);
    door_.peers_.push_back(peer.address ? peer.address->to_string() : "none");
    door_.loops_.push_back(loop_);
    return std::make_unique<LineSession>(door_, loop_, peer.waker);
  }
  [[nodiscard]] std::size_t most_input_bytes() const noexcept override { return most_line; }

 private:
  LineDoor& door_;
  unsigned loop_;
};

std::unique_ptr<SessionFactory> LineDoor::on_loop(LoopContext& loop) {
  return std::make_unique<LineFactory>(*this, loop.index());
}

void LineDoor::wake_holders(Server& server) {
  server.post_to_loops([this](LoopContext& loop) {
    const std::lock_guard lock(mutex_);
    for (const auto& [index, waker] : holders_) {
      if (index == loop.index()) waker->wake();
    }
    std::erase_if(holders_, [&](const auto& one) { return one.first == loop.index(); });
  });
}

int LineDoor::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

int LineDoor::closed_holding() const {
  const std::lock_guard lock(mutex_);
  return closed_holding_;
}

std::vector<std::string> LineDoor::peers() const {
  const std::lock_guard lock(mutex_);
  return peers_;
}

std::vector<unsigned> LineDoor::loops() const {
  const std::lock_guard lock(mutex_);
  return loops_;
}

void wait_until(const std::function<bool()>& holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace weir::front
