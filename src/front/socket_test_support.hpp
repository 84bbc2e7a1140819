// SPDX-License-Identifier: Apache-2.0
// For tests over real sockets: a blocking client, a server in a thread, a door that speaks in
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "front/fd.hpp"
#include "front/server.hpp"

namespace weir::front {

/// A blocking client. What it waits for must come, or the test's own time limit ends it.
class TestClient {
 public:
  explicit TestClient(const std::string& address);

  void send(std::string_view bytes) const;
  void finish_sending() const;  ///< half-closes

  /// Reads until `end` has come; all of it. Less where the peer ends first.
  [[nodiscard]] std::string read_until(std::string_view end);
  /// Reads so many bytes; less where the peer ends first.
  [[nodiscard]] std::string read_exactly(std::size_t count);
  /// Reads up to the end: the peer has closed, gracefully or not.
  [[nodiscard]] std::string read_to_end();
  void reset_hard();  ///< closes so that the peer sees a reset

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  bool read_more();

  Fd fd_;
  std::string read_;
};

/// A door whose sessions answer each line. Most lines are echoed; these are not:
/// `wait MS`: answered after so long; `hold`: when `wake_holders` is called; `big N`: N bytes;
/// `close`, `throw`: what they say. A turn answers at most `most_lines` lines.
class LineDoor final : public Door {
 public:
  static constexpr std::size_t most_line = 1000;
  static constexpr int most_lines = 8;

  [[nodiscard]] std::unique_ptr<SessionFactory> on_loop(LoopContext& loop) override;

  /// From any thread.
  void wake_holders(Server& server);

  /// Sessions ended by `on_close`, those that held an answer then, and peers' addresses as text.
  [[nodiscard]] int closed() const;
  [[nodiscard]] int closed_holding() const;
  [[nodiscard]] std::vector<std::string> peers() const;
  /// By which loop each session was made.
  [[nodiscard]] std::vector<unsigned> loops() const;

  class LineSession;
  class LineFactory;

 private:
  mutable std::mutex mutex_;
  int closed_ = 0;
  int closed_holding_ = 0;
  std::vector<std::string> peers_;
  std::vector<unsigned> loops_;
  std::vector<std::pair<unsigned, Waker*>> holders_;  // and their loops
};

/// Runs a server in a thread until it ends.
class RunningServer {
 public:
  explicit RunningServer(Server& server) : server_(server), thread_([this] { server_.run(); }) {}
  ~RunningServer() { stop(); }
  void stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  Server& server_;
  std::thread thread_;
};

/// Waits for what another thread brings about.
void wait_until(const std::function<bool()>& holds);

}  // namespace weir::front
