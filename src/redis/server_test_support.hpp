// SPDX-License-Identifier: Apache-2.0
// For tests: real servers of Redis, on free ports, that end with the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <weir/clock.hpp>

namespace weir::redis {

/// A folder of its own, gone with all that is in it when the test ends.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A process, killed when the test ends.
class TestProcess {
 public:
  /// The first word is the program. What it says goes to the file `log`.
  TestProcess(const std::vector<std::string>& words, const std::string& log);
  ~TestProcess() { kill(); }
  TestProcess(const TestProcess&) = delete;
  TestProcess& operator=(const TestProcess&) = delete;

  void kill() noexcept;
  /// Whether it came to its end by itself.
  bool has_ended() noexcept;
  void pause() const noexcept;
  void go_on() const noexcept;

  /// Runs it to its end; its exit code.
  static int run(const std::vector<std::string>& words, const std::string& log);

 private:
  pid_t pid_;
};

std::uint16_t free_port();

class TestServer {
 public:
  /// `options` are those of redis-server. It listens on a free port and on a unix socket.
  explicit TestServer(std::vector<std::string> options = {});

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::string url() const { return "redis://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string socket() const { return folder_.path() + "/redis.sock"; }
  [[nodiscard]] const std::string& folder() const noexcept { return folder_.path(); }

  void pause() const noexcept { process_->pause(); }
  void go_on() const noexcept { process_->go_on(); }
  void kill() noexcept { process_.reset(); }
  void start();

  /// What it answers to a command, as redis-cli shows it; and what any server does.
  std::string ask(std::vector<std::string> words) const;
  std::string ask_at(std::uint16_t port, std::vector<std::string> words) const;

 private:
  bool starts();
  std::string answer_to(std::vector<std::string> words) const;

  TestFolder folder_;
  std::uint16_t port_ = 0;
  std::vector<std::string> options_;
  std::unique_ptr<TestProcess> process_;
};

/// Tries until it holds. False: it didn't within a time that is long on any machine.
bool soon(const std::function<bool()>& holds);

}  // namespace weir::redis
