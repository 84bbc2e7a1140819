// SPDX-License-Identifier: Apache-2.0
#include "rules/address.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace weir::rules {
namespace {

std::string read(std::string_view text) {
  const auto address = Address::parse(text);
  return address ? address->to_string() : "none";
}

TEST(Address, IsReadAloneAndWithWhatIsDropped) {
  EXPECT_EQ(read("198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(read("198.51.100.7:80"), "198.51.100.7");
  EXPECT_EQ(read("198.51.100.7:0"), "198.51.100.7");
  EXPECT_EQ(read("198.51.100.7:65535"), "198.51.100.7");
  EXPECT_EQ(read("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(read("2001:0DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(read("[2001:db8::1]"), "2001:db8::1");
  EXPECT_EQ(read("[2001:db8::1]:4711"), "2001:db8::1");
  EXPECT_EQ(read("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(read("[fe80::1%eth0]:80"), "fe80::1");
}

TEST(Address, IsRefusedWhereItIsNone) {
  for (const auto* text : {"",
                           "garbage",
                           "unknown",
                           "_hidden",
                           "1.2.3",
                           "1.2.3.4.5",
                           "1.2.3.256",
                           "01.2.3.4",
                           " 1.2.3.4",
                           "1.2.3.4 ",
                           "1.2.3.4:",
                           "1.2.3.4:65536",
                           "1.2.3.4:99999999999",
                           "1.2.3.4:-1",
                           "1.2.3.4:x",
                           "1.2.3.4:80:80",
                           "1.2.3.4%eth0",
                           "[1.2.3.4]:80",
                           "[::1",
                           "[::1]80",
                           "[::1]:",
                           "[::1]:65536",
                           "[]",
                           "::1]",
                           ":::",
                           "1::2::3",
                           "fe80::1%",
                           "%eth0",
                           "[%eth0]",
                           "1.2.3.4/32"}) {
    EXPECT_EQ(read(text), "none") << text;
  }
  EXPECT_EQ(read({"1.2.3.4\0", 8}), "none");
  EXPECT_EQ(read(std::string(1000, ':')), "none");
}

TEST(Address, MappedOnesCountAsIPv4) {
  EXPECT_EQ(read("::ffff:198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(read("::FFFF:c633:6407"), "198.51.100.7");
  EXPECT_EQ(read("[::ffff:198.51.100.7]:80"), "198.51.100.7");
  EXPECT_EQ(read("64:ff9b::198.51.100.7"), "198.51.100.7");
  EXPECT_EQ(read("64:ff9b:1::198.51.100.7"), "64:ff9b:1::c633:6407");
  EXPECT_EQ(read("::198.51.100.7"), "::198.51.100.7");
  EXPECT_EQ(*Address::parse("::ffff:1.2.3.4"), *Address::parse("1.2.3.4"));
}

TEST(Address, IsCutToItsPrefix) {
  const auto cut = [](std::string_view text, unsigned bits) {
    return Address::parse(text)->cut_to(bits).to_string();
  };
  EXPECT_EQ(cut("2001:db8:1:2:3:4:5:6", 64), "2001:db8:1:2::");
  EXPECT_EQ(cut("2001:db8:1:2:3:4:5:6", 48), "2001:db8:1::");
  EXPECT_EQ(cut("2001:db8:1:2ff:3:4:5:6", 60), "2001:db8:1:2f0::");
  EXPECT_EQ(cut("2001:db8::1", 128), "2001:db8::1");
  EXPECT_EQ(cut("198.51.100.7", 64), "198.51.100.7");
  EXPECT_EQ(cut("::ffff:198.51.100.7", 64), "198.51.100.7") << "not all of IPv4 in one key";
}

TEST(Address, WhatIsWrittenIsReadBack) {
  rc::check([](std::array<std::uint8_t, 16> bytes, bool v6) {
    Address address{bytes, v6};
    if (!v6) std::fill(address.bytes.begin() + 4, address.bytes.end(), std::uint8_t{0});
    const auto again = Address::parse(address.to_string());
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->to_string() == Address::parse(again->to_string())->to_string());
    if (!v6) RC_ASSERT(*again == address);
  });
}

bool inside(std::string_view network, std::string_view address) {
  return Network::parse(network).value().contains(Address::parse(address).value());
}

TEST(Network, ContainsItsAddresses) {
  EXPECT_TRUE(inside("10.0.0.0/8", "10.255.0.1"));
  EXPECT_FALSE(inside("10.0.0.0/8", "11.0.0.1"));
  EXPECT_TRUE(inside("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(inside("10.1.2.3", "10.1.2.4"));
  EXPECT_TRUE(inside("198.51.100.0/23", "198.51.101.7"));
  EXPECT_FALSE(inside("198.51.100.0/23", "198.51.102.7"));
  EXPECT_TRUE(inside("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(inside("2001:db8::/33", "2001:db8:ffff::1"));
  EXPECT_TRUE(inside("::1", "::1"));
}

TEST(Network, TheFamiliesAreApart) {
  EXPECT_TRUE(inside("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(inside("0.0.0.0/0", "::1"));
  EXPECT_TRUE(inside("::/0", "::1"));
  EXPECT_FALSE(inside("::/0", "1.2.3.4"));
  EXPECT_FALSE(inside("::/0", "::ffff:1.2.3.4")) << "that one is an IPv4 address";
}

TEST(Network, MappedOnesAreIPv4) {
  EXPECT_TRUE(inside("::ffff:10.0.0.0/104", "10.9.9.9"));
  EXPECT_FALSE(inside("::ffff:10.0.0.0/104", "11.9.9.9"));
  EXPECT_TRUE(inside("10.0.0.0/8", "::ffff:10.9.9.9"));
  EXPECT_TRUE(inside("10.0.0.0/8", "64:ff9b::10.9.9.9"));
  EXPECT_FALSE(Network::parse("::ffff:10.0.0.0/90"));
}

TEST(Network, IsRefusedWhereItIsNone) {
  for (const auto* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8",
                           "10.0.0.0/x", "10.0.0/8", "::/129", "10.0.0.1:80", "[::1]",
                           "fe80::1%eth0", "10.0.0.0 /8", "10.0.0.0/ 8", "all"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
}

TEST(Network, CanonicalFormHasNoBitsBehindThePrefix) {
  EXPECT_EQ(Network::parse("10.1.2.3/8")->canonical().to_string(), "10.0.0.0/8");
  EXPECT_EQ(Network::parse("2001:db8::1/32")->canonical().to_string(), "2001:db8::/32");
  EXPECT_EQ(Network::parse("10.1.2.3")->canonical().to_string(), "10.1.2.3/32");
}

TEST(Network, ContainsExactlyTheAddressesThatShareItsPrefix) {
  rc::check([](std::array<std::uint8_t, 16> bytes, std::array<std::uint8_t, 16> other) {
    const auto bits = *rc::gen::inRange(0u, 129u);
    const Network network{{bytes, true}, bits};
    const Address address{other, true};
    RC_ASSERT(network.contains(address) ==
              (network.canonical().address == Network{address, bits}.canonical().address));
    RC_ASSERT(network.contains(network.address));
  });
}

}  // namespace
}  // namespace weir::rules
