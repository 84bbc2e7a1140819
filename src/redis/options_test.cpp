// SPDX-License-Identifier: Apache-2.0
#include "redis/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::redis {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Options read(std::string_view url) {
  const auto options = parse_url(url);
  EXPECT_TRUE(options.ok()) << url << ": " << options.error();
  return options.ok() ? *options : Options();
}

std::string complaint(std::string_view url) {
  const auto options = parse_url(url);
  EXPECT_FALSE(options.ok()) << url;
  return options.ok() ? "" : options.error();
}

TEST(RedisUrl, AServer) {
  const auto options = read("redis://cache.example:6380/3");
  EXPECT_EQ(options.topology, Topology::standalone);
  EXPECT_THAT(options.addresses, ElementsAre(Address{"cache.example", 6380}));
  EXPECT_EQ(options.database, 3U);
  EXPECT_FALSE(options.tls.on);
  EXPECT_EQ(options.login.password, "");
}

TEST(RedisUrl, WhatIsLeftOutIsTheUsual) {
  EXPECT_THAT(read("redis://cache").addresses, ElementsAre(Address{"cache", 6379}));
  EXPECT_THAT(read("redis://cache/").addresses, ElementsAre(Address{"cache", 6379}));
  EXPECT_THAT(read("redis://").addresses, ElementsAre(Address{"127.0.0.1", 6379}));
  EXPECT_EQ(read("redis://cache").timeout, 50ms);
}

TEST(RedisUrl, ALogin) {
  EXPECT_EQ(read("redis://:secret@h").login.password, "secret");
  EXPECT_EQ(read("redis://:secret@h").login.user, "");
  EXPECT_EQ(read("redis://me:secret@h").login.user, "me");
  EXPECT_EQ(read("redis://me:a%40b%2Fc%25@h").login.password, "a@b/c%");
  EXPECT_EQ(read("redis://:a@b/c:d@h").login.password, "a@b/c:d");
  EXPECT_THAT(read("redis://:a@b@h:1").addresses, ElementsAre(Address{"h", 1}));
}

TEST(RedisUrl, AnAddressInBrackets) {
  EXPECT_THAT(read("redis://[::1]").addresses, ElementsAre(Address{"::1", 6379}));
  EXPECT_THAT(read("redis://[fe80::1]:7000/1").addresses, ElementsAre(Address{"fe80::1", 7000}));
}

TEST(RedisUrl, AUnixSocket) {
  const auto options = read("unix:///run/redis@1/redis.sock?database=2");
  EXPECT_THAT(options.addresses, ElementsAre(Address{"/run/redis@1/redis.sock", 0}));
  EXPECT_EQ(options.database, 2U);
  const auto with_login = read("unix://me:pass@/run/redis.sock");
  EXPECT_EQ(with_login.login.user, "me");
  EXPECT_EQ(with_login.addresses[0].host, "/run/redis.sock");
}

TEST(RedisUrl, Tls) {
  const auto options =
      read("rediss://h?ca=/etc/ca.pem&cert=/c.pem&key=/k.pem&server_name=redis.internal");
  EXPECT_TRUE(options.tls.on);
  EXPECT_EQ(options.tls.ca_file, "/etc/ca.pem");
  EXPECT_EQ(options.tls.cert_file, "/c.pem");
  EXPECT_EQ(options.tls.key_file, "/k.pem");
  EXPECT_EQ(options.tls.server_name, "redis.internal");
  EXPECT_TRUE(read("rediss+cluster://h").tls.on);
  EXPECT_TRUE(read("rediss+sentinel://h/m").tls.on);
}

TEST(RedisUrl, Sentinels) {
  const auto options = read(
      "redis+sentinel://u:p@a:1,b,[::2]:3/my%20master/4?sentinel_user=s&sentinel_password=q%26r");
  EXPECT_EQ(options.topology, Topology::sentinel);
  EXPECT_THAT(options.addresses,
              ElementsAre(Address{"a", 1}, Address{"b", 26379}, Address{"::2", 3}));
  EXPECT_EQ(options.master_name, "my master");
  EXPECT_EQ(options.database, 4U);
  EXPECT_EQ(options.login.user, "u");
  EXPECT_EQ(options.sentinel_login.user, "s");
  EXPECT_EQ(options.sentinel_login.password, "q&r");
  EXPECT_THAT(complaint("redis+sentinel://a,b"), HasSubstr("the master's name"));
}

TEST(RedisUrl, ACluster) {
  const auto options = read("redis+cluster://a:7000,b:7001");
  EXPECT_EQ(options.topology, Topology::cluster);
  EXPECT_THAT(options.addresses, ElementsAre(Address{"a", 7000}, Address{"b", 7001}));
  EXPECT_EQ(read("redis+cluster://a/0").database, 0U);
  EXPECT_THAT(complaint("redis+cluster://a/1"), HasSubstr("the database"));
}

TEST(RedisUrl, B109_AnAddressTwiceIsOne) {
  EXPECT_THAT(read("redis+cluster://a:1,b:1,a:1").addresses,
              ElementsAre(Address{"a", 1}, Address{"b", 1}));
}

TEST(RedisUrl, Settings) {
  const auto options = read(
      "redis://h?timeout=20ms&connect_timeout=1s&longest_backoff=2s&deny_cache=0&store_time=no"
      "&prefix=rl%3A");
  EXPECT_EQ(options.timeout, 20ms);
  EXPECT_EQ(options.connect_timeout, 1s);
  EXPECT_EQ(options.longest_backoff, 2s);
  EXPECT_EQ(options.deny_cache, 0s);
  EXPECT_FALSE(options.use_store_time);
  EXPECT_EQ(options.key_prefix, "rl:");
  EXPECT_EQ(read("redis://h?deny_cache=200ms").deny_cache, 200ms);
}

TEST(RedisUrl, AnErrorNamesThePartThatIsWrong) {
  EXPECT_THAT(complaint("h:6379"), HasSubstr("redis://"));
  EXPECT_THAT(complaint("http://h"), HasSubstr("redis://"));
  EXPECT_THAT(complaint("redis://h:0"), HasSubstr("the port"));
  EXPECT_THAT(complaint("redis://h:65536"), HasSubstr("the port"));
  EXPECT_THAT(complaint("redis://h:"), HasSubstr("the port"));
  EXPECT_THAT(complaint("redis://:6379"), HasSubstr("the host"));
  EXPECT_THAT(complaint("redis://[::1"), HasSubstr("]"));
  EXPECT_THAT(complaint("redis://[::1]x"), HasSubstr("]"));
  EXPECT_THAT(complaint("redis://a,b"), HasSubstr("several"));
  EXPECT_THAT(complaint("redis+cluster://a,,b"), HasSubstr("the host"));
  EXPECT_THAT(complaint("redis://h/x"), HasSubstr("the database"));
  EXPECT_THAT(complaint("redis://h/-1"), HasSubstr("the database"));
  EXPECT_THAT(complaint("redis://h/1/2"), HasSubstr("the database"));
  EXPECT_THAT(complaint("redis://me@h"), HasSubstr("the password"));
  EXPECT_THAT(complaint("redis://:%4@h"), HasSubstr("%"));
  EXPECT_THAT(complaint("unix://run/redis.sock"), HasSubstr("unix:///PATH"));
  EXPECT_THAT(complaint("unix://"), HasSubstr("unix:///PATH"));
}

TEST(RedisUrl, AnErrorNamesTheSettingThatIsWrong) {
  EXPECT_THAT(complaint("redis://h?timout=1s"), HasSubstr("did you mean 'timeout'?"));
  EXPECT_THAT(complaint("redis://h?timeout=fast"), HasSubstr("timeout: "));
  EXPECT_THAT(complaint("redis://h?timeout=1h"), HasSubstr("'1h' is not within 1ms and 10s"));
  EXPECT_THAT(complaint("redis://h?timeout="), HasSubstr("a value is missing"));
  EXPECT_THAT(complaint("redis://h?timeout"), HasSubstr("a value is missing"));
  EXPECT_THAT(complaint("redis://h?store_time=1"), HasSubstr("yes or no"));
  EXPECT_THAT(complaint("redis://h?prefix=%7B"), HasSubstr("without { and }"));
  EXPECT_THAT(complaint("redis://h?ca=x"), HasSubstr("rediss://"));
  EXPECT_THAT(complaint("rediss://h?cert=x"), HasSubstr("cert and key"));
  EXPECT_THAT(complaint("redis://h?sentinel_password=x"), HasSubstr("redis+sentinel://"));
}

TEST(RedisUrl, NoErrorTellsAPassword) {
  for (const auto* url :
       {"redis://:hunter2@h:x", "redis://:hunter2@:1", "redis://u:hunter2@h/x",
        "redis://:%hunter2@h", "redis://hunter2@h", "x://:hunter2@h",
        "redis://h?sentinel_password=hunter2", "redis://:hunter2?x@h", "redis://u:1?hunter2@h"}) {
    EXPECT_THAT(complaint(url), Not(HasSubstr("hunter2"))) << url;
  }
}

TEST(RedisUrl, IsShownWithoutPasswords) {
  EXPECT_EQ(without_passwords("redis://h:1/2"), "redis://h:1/2");
  EXPECT_EQ(without_passwords("redis://:secret@h:1/2"), "redis://:***@h:1/2");
  EXPECT_EQ(without_passwords("rediss://me:se@cr/et@h?ca=/x"), "rediss://me:***@h?ca=/x");
  EXPECT_EQ(without_passwords("unix://me:s@/run/a@b"), "unix://me:***@/run/a@b");
  EXPECT_EQ(without_passwords("redis+sentinel://a,b/m?sentinel_password=x&timeout=1s"),
            "redis+sentinel://a,b/m?sentinel_password=***&timeout=1s");
  EXPECT_EQ(without_passwords("memory"), "memory");
}

}  // namespace
}  // namespace weir::redis
