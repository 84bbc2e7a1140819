// SPDX-License-Identifier: Apache-2.0
#include "redis/server_test_support.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace weir::redis {

using namespace std::chrono_literals;

TestFolder::TestFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "weir-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

TestProcess::TestProcess(const std::vector<std::string>& words, const std::string& log)
    : pid_(::fork()) {
  if (pid_ != 0) return;
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

void TestProcess::kill() noexcept {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

bool TestProcess::has_ended() noexcept {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
  return pid_ <= 0;
}

void TestProcess::pause() const noexcept { ::kill(pid_, SIGSTOP); }
void TestProcess::go_on() const noexcept { ::kill(pid_, SIGCONT); }

int TestProcess::run(const std::vector<std::string>& words, const std::string& log) {
  TestProcess process(words, log);
  int status = 0;
  ::waitpid(process.pid_, &status, 0);
  process.pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

TestServer::TestServer(std::vector<std::string> options) : options_(std::move(options)) {
  constexpr int most_attempts = 3;  // another program may be faster to take a port that was free
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    port_ = free_port();
    if (starts()) return;
  }
  throw std::runtime_error("redis-server does not start");
}

void TestServer::start() {
  if (!starts()) throw std::runtime_error("redis-server does not start again");
}

bool TestServer::starts() {
  std::vector<std::string> words{"redis-server",
                                 "--bind",
                                 "127.0.0.1",
                                 "--unixsocket",
                                 socket(),
                                 "--daemonize",
                                 "no",
                                 "--save",
                                 "",
                                 "--appendonly",
                                 "no",
                                 "--dir",
                                 folder(),
                                 "--repl-diskless-sync-delay",
                                 "0"};
  if (std::ranges::find(options_, "--port") == options_.end()) {
    words.insert(words.end(), {"--port", std::to_string(port_)});
  }
  words.insert(words.end(), options_.begin(), options_.end());
  process_ = std::make_unique<TestProcess>(words, folder() + "/log");
  const auto answers = [&] {
    const auto answer = ask({"PING"});
    return answer.starts_with("PONG") || answer.find("NOAUTH") != answer.npos;
  };
  return soon([&] { return process_->has_ended() || answers(); }) && !process_->has_ended();
}

std::string TestServer::ask(std::vector<std::string> words) const {
  words.insert(words.begin(), {"redis-cli", "-s", socket()});
  return answer_to(std::move(words));
}

std::string TestServer::ask_at(std::uint16_t port, std::vector<std::string> words) const {
  words.insert(words.begin(), {"redis-cli", "-p", std::to_string(port)});
  return answer_to(std::move(words));
}

std::string TestServer::answer_to(std::vector<std::string> words) const {
  const std::string file = folder() + "/answer";
  std::filesystem::remove(file);
  TestProcess::run(words, file);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::string answer = text.str();
  while (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 1000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

}  // namespace weir::redis
