// SPDX-License-Identifier: Apache-2.0
#include "rules/client_address.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "rules/test_request.hpp"

namespace weir::rules {
namespace {

ClientTrust trusting(std::vector<std::string> networks, std::string header = "x-forwarded-for") {
  ClientTrust trust;
  trust.header = std::move(header);
  for (const auto& network : networks) trust.proxies.push_back(Network::parse(network).value());
  return trust;
}

std::string client_of(const ClientTrust& trust, std::string peer, std::vector<std::string> lines) {
  TestRequest request;
  request.peer = std::move(peer);
  for (auto& line : lines) request.headers.emplace_back(trust.header, std::move(line));
  return request.with([&trust](const Request& views) {
    const auto client = trust.client_of(views);
    return client ? client->to_string() : "none";
  });
}

TEST(ClientAddress, B21_IsTheFirstHopFromTheRightThatIsNotTrusted) {
  const auto trust = trusting({"10.0.0.0/8"});
  EXPECT_EQ(client_of(trust, "198.51.100.7", {"1.2.3.4"}), "198.51.100.7");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"9.9.9.9, 1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, 10.0.0.9"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"9.9.9.9", "1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"garbage"}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"10.1.1.1, 10.0.0.9"}), "10.1.1.1");
}

TEST(ClientAddress, B21_AnUntrustedPeerHasOneKeyWhateverItWrites) {
  const auto rules = rules_of(
      "clients: {trusted_proxies: 10.0.0.0/8}\nrules:\n  - {name: r, key: ip, limits: [3/min]}\n");
  TestRequest request;
  request.peer = "198.51.100.7";
  const auto key = key_of(*rules, request);
  for (int i = 0; i < 30; ++i) {
    request.headers = {{"X-Forwarded-For", "1.2.3." + std::to_string(i)}};
    EXPECT_EQ(key_of(*rules, request), key);
  }
}

TEST(ClientAddress, TheWalkEndsAtWhatIsNoAddress) {
  const auto trust = trusting({"10.0.0.0/8"});
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, garbage, 10.0.0.9"}), "10.0.0.9");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, 10.0.0.9:65536"}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, unknown"}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, , 10.0.0.9"}), "10.0.0.9");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4,"}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4", ""}), "10.0.0.5");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"9.9.9.9", ", 10.0.0.9"}), "10.0.0.9");
}

TEST(ClientAddress, PortsZonesAndMappingsAreSeenThrough) {
  const auto trust = trusting({"10.0.0.0/8", "fe80::/10"});
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4:5678"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"[2001:db8::1]:443"}), "2001:db8::1");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, fe80::1%eth0"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "::ffff:10.0.0.5", {"1.2.3.4"}), "1.2.3.4") << "trusted as 10.0.0.5";
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4, ::ffff:10.0.0.9"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"::ffff:1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"64:ff9b::1.2.3.4"}), "1.2.3.4");
}

TEST(ClientAddress, ASocketThatServesBothFamiliesIsSeenThrough) {
  Request request;
  request.peer = Address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 5}, true};
  EXPECT_EQ(trusting({}).client_of(request)->to_string(), "10.0.0.5");
}

TEST(ClientAddress, AHeaderWithOneAddressIsRead) {
  const auto trust = trusting({"10.0.0.0/8"}, "cf-connecting-ip");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "10.0.0.5", {"9.9.9.9", "1.2.3.4"}), "1.2.3.4")
      << "the proxy's is the last";
}

TEST(ClientAddress, OtherHeadersAreNotRead) {
  const auto trust = trusting({"10.0.0.0/8"}, "forwarded");
  TestRequest request;
  request.peer = "10.0.0.5";
  request.headers = {{"X-Forwarded-For", "1.2.3.4"}, {"X-Real-IP", "1.2.3.4"}};
  request.with(
      [&](const Request& views) { EXPECT_EQ(trust.client_of(views)->to_string(), "10.0.0.5"); });
}

TEST(ClientAddress, ForwardedIsRead) {
  const auto trust = trusting({"10.0.0.0/8"}, "forwarded");
  const auto client = [&trust](std::vector<std::string> lines) {
    return client_of(trust, "10.0.0.5", std::move(lines));
  };
  EXPECT_EQ(client({"for=1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client({"For=\"[2001:db8::17]:4711\""}), "2001:db8::17");
  EXPECT_EQ(client({"for=1.2.3.4;proto=http;by=203.0.113.43"}), "1.2.3.4");
  EXPECT_EQ(client({"proto=http; for=\"1.2.3.4:80\" ;by=_x"}), "1.2.3.4");
  EXPECT_EQ(client({"for=9.9.9.9, for=1.2.3.4, for=10.0.0.9"}), "1.2.3.4");
  EXPECT_EQ(client({"for=9.9.9.9", "for=1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client({"for=1.2.3.4;host=\"a,b;for=5.5.5.5\""}), "1.2.3.4") << "quoted text is text";
  EXPECT_EQ(client({"for=\"1.2.3\\.4\""}), "1.2.3.4") << "a backslash quotes";
}

TEST(ClientAddress, ForwardedEndsTheWalkWhereItNamesNoAddress) {
  const auto trust = trusting({"10.0.0.0/8"}, "forwarded");
  for (const auto* line :
       {"for=unknown", "for=_hidden", "proto=https", "for=", "for=\"", "for=\"1.2.3.4", "1.2.3.4",
        "for=1.2.3.4;for=5.6.7.8", "for=\"1.2.3.4:_port\"", "", "for"}) {
    EXPECT_EQ(client_of(trust, "10.0.0.5", {line}), "10.0.0.5") << line;
    EXPECT_EQ(client_of(trust, "10.0.0.5", {std::string(line) + ", for=10.0.0.9"}), "10.0.0.9")
        << line;
  }
}

TEST(ClientAddress, WhatAClientPutsBeforeAProxysEntryChangesNothing) {
  for (const std::string header : {"forwarded", "x-forwarded-for"}) {
    const auto trust = trusting({"10.0.0.0/8"}, header);
    const std::string entry = header == "forwarded" ? "for=1.2.3.4;by=\"[::1]\"" : "1.2.3.4";
    rc::check([&](const std::string& prefix) {
      RC_ASSERT(client_of(trust, "10.0.0.5", {prefix + ", " + entry}) == "1.2.3.4");
    });
    EXPECT_EQ(client_of(trust, "10.0.0.5", {"for=\"a, " + entry}), "1.2.3.4") << "an open quote";
    EXPECT_EQ(client_of(trust, "10.0.0.5", {"for=\\\", " + entry}), "1.2.3.4");
  }
}

TEST(ClientAddress, WhereTheCallerKnowsItNothingElseCounts) {
  TestRequest request;
  request.client = "5.6.7.8";
  request.peer = "10.0.0.5";
  request.headers = {{"x-forwarded-for", "1.2.3.4"}};
  request.with([](const Request& views) {
    EXPECT_EQ(trusting({"10.0.0.0/8"}).client_of(views)->to_string(), "5.6.7.8");
  });
}

TEST(ClientAddress, B65_AUnixPeerIsBelievedOnlyWhereItIsTrusted) {
  ClientTrust trust = trusting({"10.0.0.0/8"});
  EXPECT_EQ(client_of(trust, "", {"1.2.3.4"}), "none");
  EXPECT_EQ(client_of(trust, "", {}), "none");
  trust.unix_peers = true;
  EXPECT_EQ(client_of(trust, "", {"1.2.3.4"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "", {"1.2.3.4, 10.0.0.9"}), "1.2.3.4");
  EXPECT_EQ(client_of(trust, "", {"garbage"}), "none");
  EXPECT_EQ(client_of(trust, "", {}), "none");
}

TEST(ClientAddress, B65_PeersWithoutAddressShareOneKey) {
  const std::string rule = "rules:\n  - {name: r, key: ip, limits: [3/min]}\n";
  const auto untrusted = rules_of(rule);
  const auto trusted = rules_of("clients: {trusted_proxies: [unix]}\n" + rule);
  TestRequest bare, forwarded;
  forwarded.headers = {{"x-forwarded-for", "1.2.3.4"}};
  TestRequest direct;
  direct.client = "1.2.3.4";
  ASSERT_TRUE(key_of(*untrusted, bare)) << "it is limited";
  EXPECT_EQ(key_of(*untrusted, bare), key_of(*untrusted, forwarded));
  EXPECT_EQ(key_of(*trusted, forwarded), key_of(*trusted, direct));
  EXPECT_NE(key_of(*trusted, bare), key_of(*trusted, direct));
}

TEST(ClientAddress, AnIPv6ClientIsItsNetworkInAKey) {
  const std::string rule = "rules:\n  - {name: r, key: ip, limits: [3/min]}\n";
  const auto key = [&](const std::string& clients, const std::string& client) {
    TestRequest request;
    request.client = client;
    return key_of(*rules_of(clients + rule), request);
  };
  EXPECT_EQ(key("", "2001:db8:1:2::1"), key("", "2001:db8:1:2:ffff::9"));
  EXPECT_NE(key("", "2001:db8:1:2::1"), key("", "2001:db8:1:3::1"));
  const std::string wide = "clients: {ipv6_prefix: 48}\n";
  EXPECT_EQ(key(wide, "2001:db8:1:2::1"), key(wide, "2001:db8:1:3::1"));
  EXPECT_NE(key(wide, "1.2.3.4"), key(wide, "1.2.3.5")) << "IPv4 is never cut";
  EXPECT_NE(key("", "::ffff:1.2.3.4"), key("", "::ffff:1.2.3.5"));
}

}  // namespace
}  // namespace weir::rules
