// SPDX-License-Identifier: Apache-2.0
// Commands that set a client up or look around, with the texts of Redis.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/resp/session_fixture.hpp"

namespace weir::front::resp {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CommandsTest : public SessionTest {};

class PasswordTest : public SessionTest {
 protected:
  PasswordTest() : SessionTest("secret") {}
};

TEST_F(CommandsTest, PingAndEcho) {
  EXPECT_EQ(type("PING"), "+PONG\r\n");
  EXPECT_EQ(type("ping hello"), "$5\r\nhello\r\n");
  EXPECT_EQ(type("PING a b"), "-ERR wrong number of arguments for 'ping' command\r\n");
  EXPECT_EQ(type("ECHO hello"), "$5\r\nhello\r\n");
  EXPECT_EQ(type("ECHO"), "-ERR wrong number of arguments for 'echo' command\r\n");
}

TEST_F(CommandsTest, UnknownCommands) {
  EXPECT_EQ(type("FOO"), "-ERR unknown command 'FOO', with args beginning with: \r\n");
  EXPECT_EQ(type("foo bar baz"),
            "-ERR unknown command 'foo', with args beginning with: 'bar' 'baz' \r\n");
  const std::string x(200, 'x');
  EXPECT_EQ(ask({"foo", "a\r\nb", x, "y"}),
            "-ERR unknown command 'foo', with args beginning with: 'a  b' '" + x.substr(0, 124) +
                "' \r\n");
  EXPECT_EQ(ask({x}).size(),
            std::string("-ERR unknown command '', with args beginning with: \r\n").size() + 128);
}

TEST_F(CommandsTest, HelloChoosesTheProtocol) {
  EXPECT_EQ(
      type("HELLO"),
      "*14\r\n$6\r\nserver\r\n$4\r\nweir\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:2"
      "\r\n$2\r\nid\r\n:7\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
      "$7\r\nmodules\r\n*0\r\n");
  EXPECT_EQ(type("CLIENT GETNAME"), "$-1\r\n");
  EXPECT_THAT(type("HELLO 3 SETNAME app"),
              AllOf(StartsWith("%7\r\n"), HasSubstr("proto\r\n:3\r\n")));
  EXPECT_EQ(type("CLIENT GETNAME"), "$3\r\napp\r\n");
  EXPECT_EQ(type("COMMAND INFO nope"), "*1\r\n_\r\n");
  EXPECT_THAT(type("HELLO"), StartsWith("%7\r\n"));
  EXPECT_THAT(type("HELLO 2"), StartsWith("*14\r\n"));
}

TEST_F(CommandsTest, HelloSaysWhatIsWrong) {
  EXPECT_EQ(type("HELLO 4"), "-NOPROTO unsupported protocol version\r\n");
  for (const auto* version : {"x", "-2", "\"\""}) {
    EXPECT_EQ(type(std::string("HELLO ") + version),
              "-ERR Protocol version is not an integer or out of range\r\n");
  }
  EXPECT_EQ(type("HELLO 3 foo"), "-ERR Syntax error in HELLO option 'foo'\r\n");
  EXPECT_EQ(type("HELLO 3 SETNAME"), "-ERR Syntax error in HELLO option 'SETNAME'\r\n");
  EXPECT_EQ(type("HELLO 3 AUTH x"), "-ERR Syntax error in HELLO option 'AUTH'\r\n");
  EXPECT_EQ(type("HELLO 3 SETNAME \"a b\""),
            "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
  EXPECT_THAT(type("HELLO"), StartsWith("*14\r\n"));  // none of these changed the protocol
}

TEST_F(CommandsTest, AuthWhereThereIsNoPassword) {
  EXPECT_EQ(type("AUTH x"),
            "-ERR AUTH <password> called without any password configured for the default user. Are "
            "you sure your configuration is correct?\r\n");
  EXPECT_EQ(type("AUTH default x"), "+OK\r\n");
  EXPECT_EQ(type("AUTH somebody x"),
            "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
  EXPECT_EQ(type("AUTH"), "-ERR wrong number of arguments for 'auth' command\r\n");
  EXPECT_EQ(type("AUTH a b c"), "-ERR syntax error\r\n");
}

TEST_F(PasswordTest, NothingIsDoneBeforeThePasswordIsSaid) {
  const std::string no = "-NOAUTH Authentication required.\r\n";
  for (const auto* line : {"PING", "CL.THROTTLE k 0 1 1", "WEIR.ACQUIRE api k", "INFO", "COMMAND",
                           "CLIENT ID", "nonsense"}) {
    EXPECT_EQ(type(line), no) << line;
  }
  EXPECT_TRUE(store.batches.empty());
  EXPECT_EQ(type("AUTH secret"), "+OK\r\n");
  EXPECT_EQ(type("PING"), "+PONG\r\n");
  EXPECT_THAT(type("CL.THROTTLE k 0 1 1"), StartsWith("*5\r\n:0\r\n"));
}

TEST_F(PasswordTest, OnlyTheWholePasswordWillDo) {
  const std::string no = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
  for (const auto* given : {"secre", "secretx", "secretsecret", "Secret", "\"\"", "x"}) {
    EXPECT_EQ(type(std::string("AUTH ") + given), no) << given;
  }
  EXPECT_EQ(type("AUTH other secret"), no);
  EXPECT_EQ(type("PING"), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(type("AUTH default secret"), "+OK\r\n");
  EXPECT_EQ(type("AUTH wrong"), no);
  EXPECT_EQ(type("PING"), "+PONG\r\n");  // a wrong one later takes nothing away
}

TEST_F(PasswordTest, HelloMayCarryIt) {
  EXPECT_THAT(type("HELLO 3"), StartsWith("-NOAUTH HELLO must be called"));
  EXPECT_THAT(type("HELLO 3 AUTH default wrong"), StartsWith("-WRONGPASS"));
  EXPECT_THAT(type("HELLO 3 AUTH default secret SETNAME app"), StartsWith("%7\r\n"));
  EXPECT_EQ(type("CLIENT GETNAME"), "$3\r\napp\r\n");
}

TEST_F(PasswordTest, ItMayComeInOneReadWithWhatItOpens) {
  EXPECT_EQ(send("PING\r\nAUTH secret\r\nPING\r\n"),
            "-NOAUTH Authentication required.\r\n+OK\r\n+PONG\r\n");
}

TEST_F(PasswordTest, ResetTakesItBack) {
  EXPECT_THAT(type("HELLO 3 AUTH default secret SETNAME app"), StartsWith("%7"));
  EXPECT_EQ(type("RESET"), "+RESET\r\n");
  EXPECT_EQ(type("PING"), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(type("AUTH secret"), "+OK\r\n");
  EXPECT_EQ(type("CLIENT GETNAME"), "$-1\r\n");
}

TEST_F(CommandsTest, Client) {
  EXPECT_EQ(type("CLIENT ID"), ":7\r\n");
  EXPECT_EQ(type("CLIENT SETNAME app"), "+OK\r\n");
  EXPECT_EQ(type("CLIENT GETNAME"), "$3\r\napp\r\n");
  EXPECT_EQ(ask({"CLIENT", "SETNAME", "a\nb"}),
            "-ERR Client names cannot contain spaces, newlines or special characters.\r\n");
  EXPECT_EQ(type("CLIENT INFO"), "$39\r\nid=7 name=app db=0 user=default resp=2\n\r\n");
  EXPECT_EQ(type("CLIENT LIST"), "$39\r\nid=7 name=app db=0 user=default resp=2\n\r\n");
  EXPECT_EQ(type("CLIENT SETINFO LIB-NAME redis-py"), "+OK\r\n");
  EXPECT_EQ(type("CLIENT NO-EVICT on"), "+OK\r\n");
  EXPECT_EQ(type("CLIENT NO-TOUCH on"), "+OK\r\n");
  EXPECT_EQ(type("CLIENT TRACKING off"), "+OK\r\n");
  EXPECT_THAT(type("CLIENT TRACKING on"), StartsWith("-ERR unknown subcommand 'TRACKING'"));
  EXPECT_THAT(type("CLIENT KILL x"), StartsWith("-ERR unknown subcommand 'KILL'"));
  EXPECT_EQ(type("CLIENT"), "-ERR wrong number of arguments for 'client' command\r\n");
}

TEST_F(CommandsTest, CommandTellsWhatThereIs) {
  EXPECT_EQ(type("COMMAND COUNT"), ":17\r\n");
  EXPECT_THAT(type("COMMAND LIST"), StartsWith("*17\r\n$11\r\ncl.throttle\r\n"));
  EXPECT_THAT(type("COMMAND"), StartsWith("*17\r\n*10\r\n$11\r\ncl.throttle\r\n:-5\r\n"));
  EXPECT_EQ(type("COMMAND INFO"), type("COMMAND"));
  EXPECT_EQ(type("COMMAND INFO ping nope"),
            "*2\r\n*10\r\n$4\r\nping\r\n:-1\r\n*1\r\n+fast\r\n:0\r\n:0\r\n:0\r\n*0\r\n*0\r\n*0\r\n"
            "*0\r\n$-1\r\n");
  EXPECT_THAT(type("COMMAND DOCS cl.throttle"),
              StartsWith("*2\r\n$11\r\ncl.throttle\r\n*4\r\n$7\r\nsummary\r\n"));
  EXPECT_THAT(type("COMMAND DOCS"), StartsWith("*34\r\n"));
  EXPECT_EQ(type("COMMAND DOCS nope"), "*0\r\n");
  EXPECT_THAT(type("COMMAND FOO"), StartsWith("-ERR unknown subcommand 'FOO'"));
}

TEST_F(CommandsTest, ConfigGetHasWhatToolsAskFor) {
  EXPECT_EQ(type("CONFIG GET save"), "*2\r\n$4\r\nsave\r\n$0\r\n\r\n");
  EXPECT_EQ(type("CONFIG GET appendonly nope"), "*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n");
  EXPECT_EQ(type("CONFIG GET nope"), "*0\r\n");
  EXPECT_THAT(type("CONFIG SET a b"), StartsWith("-ERR unknown subcommand 'SET'"));
  EXPECT_THAT(type("CONFIG GET"), StartsWith("-ERR "));
}

TEST_F(CommandsTest, InfoBySection) {
  EXPECT_THAT(type("INFO"), AllOf(HasSubstr("redis_version:7.0.0\r\n"), HasSubstr("loading:0\r\n"),
                                  HasSubstr("role:master\r\n")));
  EXPECT_THAT(type("INFO server"), AllOf(HasSubstr("# Server\r\n"), Not(HasSubstr("loading"))));
  EXPECT_EQ(type("INFO everything"), type("INFO"));
  EXPECT_EQ(type("INFO nope"), "$0\r\n\r\n");
}

TEST_F(CommandsTest, ThereIsOneDatabase) {
  EXPECT_EQ(type("SELECT 0"), "+OK\r\n");
  EXPECT_EQ(type("SELECT 1"), "-ERR DB index is out of range: there is only database 0\r\n");
  EXPECT_EQ(type("SELECT"), "-ERR wrong number of arguments for 'select' command\r\n");
}

TEST_F(CommandsTest, TimeIsTheTimeOfTheTurn) {
  now = Time{std::chrono::seconds{1'700'000'000} + std::chrono::nanoseconds{123'456'789}};
  EXPECT_EQ(type("TIME"), "*2\r\n$10\r\n1700000000\r\n$6\r\n123456\r\n");
  EXPECT_EQ(type("TIME x"), "-ERR wrong number of arguments for 'time' command\r\n");
}

TEST_F(CommandsTest, NamesAreToldFromOneAnotherInAnyCase) {
  EXPECT_TRUE(is_named("CL.Throttle", "cl.throttle"));
  EXPECT_FALSE(is_named("CL.THROTTLE ", "cl.throttle"));
  EXPECT_FALSE(is_named("CL\x0eTHROTTLE", "cl.throttle"));
  EXPECT_FALSE(is_named("", "cl.throttle"));
}

}  // namespace
}  // namespace weir::front::resp
