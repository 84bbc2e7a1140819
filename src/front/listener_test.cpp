// SPDX-License-Identifier: Apache-2.0
#include "front/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace weir::front {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr mode_t mode = 0600;

TEST(Endpoint, IsTakenApart) {
  const auto named = Endpoint::parse("localhost:80").value();
  EXPECT_EQ(named.host, "localhost");
  EXPECT_EQ(named.port, "80");
  EXPECT_EQ(named.path, "");
  const auto all = Endpoint::parse(":0").value();
  EXPECT_EQ(all.host, "");
  EXPECT_EQ(all.port, "0");
  EXPECT_EQ(Endpoint::parse("[::1]:65535").value().host, "::1");
  EXPECT_EQ(Endpoint::parse("unix:/run/x.sock").value().path, "/run/x.sock");
  EXPECT_EQ(Endpoint::parse("unix:" + std::string(107, 'x')).value().path.size(), 107u);
}

TEST(Endpoint, SaysWhatIsWrong) {
  const auto wrong = [](std::string_view text) {
    const auto parsed = Endpoint::parse(text);
    EXPECT_FALSE(parsed.ok()) << text;
    return parsed.ok() ? std::string() : parsed.error();
  };
  EXPECT_EQ(wrong("localhost"),
            "'localhost': the port is missing; an address is host:port, :port or unix:PATH");
  for (const auto* text : {"h:", "h:x", "h:65536", "h:-1", "h:80x", ":", "h: 80"}) {
    EXPECT_THAT(wrong(text), HasSubstr("a port is a number from 0 to 65535")) << text;
  }
  EXPECT_THAT(wrong("::1:80"), HasSubstr("in brackets"));
  EXPECT_THAT(wrong("[]:80"), HasSubstr("between the brackets"));
  EXPECT_THAT(wrong("unix:"), HasSubstr("the path is missing"));
  EXPECT_THAT(wrong("unix:" + std::string(108, 'x')), HasSubstr("at most 107 bytes"));
  EXPECT_THAT(wrong(std::string_view("unix:a\0b", 8)), HasSubstr("NUL"));
}

TEST(Listener, TellsThePortThatItTook) {
  const auto listener = Listener::open("127.0.0.1:0", mode);
  ASSERT_TRUE(listener.ok()) << listener.error();
  EXPECT_THAT(listener->bound(), AllOf(StartsWith("127.0.0.1:"), testing::Not(EndsWith(":0"))));
  const auto again = Listener::open(listener->bound(), mode);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error(), "cannot listen on " + listener->bound() + ": Address already in use");
}

TEST(Listener, AnIPv6AddressIsOnlyItself) {
  const auto v6 = Listener::open("[::1]:0", mode);
  ASSERT_TRUE(v6.ok()) << v6.error();
  EXPECT_THAT(v6->bound(), StartsWith("[::1]:"));
  const auto port = v6->bound().substr(v6->bound().rfind(':'));
  EXPECT_TRUE(Listener::open("127.0.0.1" + port, mode).ok());
}

TEST(Listener, AnAddressOfAnotherMachineIsAnError) {
  const auto listener = Listener::open("192.0.2.1:0", mode);
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.error(), "cannot listen on 192.0.2.1:0: Cannot assign requested address");
}

class UnixListener : public testing::Test {
 protected:
  ~UnixListener() override { std::filesystem::remove(path); }

  [[nodiscard]] Result<Listener> open() const { return Listener::open("unix:" + path, mode); }

  /// A socket file whose process ended without removing it.
  void leave_stale() const {
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  const std::string path =
      testing::TempDir() + "weir-listener-" + std::to_string(::getpid()) + ".sock";
};

TEST_F(UnixListener, HasThePermissionsAskedForAndGoesWithItsFile) {
  {
    const auto listener = open();
    ASSERT_TRUE(listener.ok()) << listener.error();
    struct stat found {};
    ASSERT_EQ(::stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777u, mode);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(UnixListener, TakesOverAFileThatNobodyListensOn) {
  leave_stale();
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(open().ok());
}

TEST_F(UnixListener, DoesNotTakeOverFromAProcessThatListens) {
  const auto first = open();
  const auto second = open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error(), "cannot listen on " + path + ": another process listens there");
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(UnixListener, DoesNotTakeOverAnyOtherFile) {
  std::ofstream(path) << "precious";
  const auto listener = open();
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.error(), "cannot listen on " + path + ": a file that is no socket is there");
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(UnixListener, LeavesAFileThatAnotherHasPutThere) {
  {
    const auto listener = open();
    ASSERT_TRUE(listener.ok());
    std::filesystem::rename(path, path + ".old");
    std::ofstream(path) << "another's";
    std::filesystem::remove(path + ".old");
  }
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(UnixListener, AFolderThatIsMissingIsAnError) {
  const auto listener = Listener::open("unix:" + path + "/x", mode);
  ASSERT_FALSE(listener.ok());
  EXPECT_THAT(listener.error(), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace weir::front
