// SPDX-License-Identifier: Apache-2.0
// Places of keys: near each other, evenly spread, and told again from where an entry stands.
#include "store/geometry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "store/table_fixture.hpp"

namespace weir::store {
namespace {

constexpr std::array<Shape, 3> shapes{Shape::word, Shape::wide, Shape::log};

rc::Gen<std::size_t> any_group_count() {
  return rc::gen::map(rc::gen::pair(rc::gen::inRange(10, 33), rc::gen::arbitrary<std::uint32_t>()),
                      [](const std::pair<int, std::uint32_t>& sample) {
                        const std::uint64_t top = std::uint64_t{1} << sample.first;
                        const std::size_t groups = top / 2 + sample.second % (top / 2);
                        return std::max(groups, Geometry::fewest_groups);
                      });
}

Key any_key() {
  return {*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
}

TEST(Geometry, PlaceAndTagTellTheAddressInATableOfAnySize) {
  EXPECT_TRUE(rc::check([] {
    const Geometry one(*any_group_count());
    const Geometry other(*any_group_count());
    const Key key = any_key();
    const Shape shape = *rc::gen::elementOf(shapes);
    const Address here = one.locate(key, shape);
    const Address there = other.locate(key, shape);

    const auto spread = one.spread(here.home, here.tag);
    RC_ASSERT(one.spread(here.away, here.tag | away_flag) == spread);
    RC_ASSERT(Geometry::belongs(here.tag, spread));
    RC_ASSERT(other.at(here.tag, spread).tag == there.tag);
    RC_ASSERT(other.at(here.tag, spread).home == there.home);
    RC_ASSERT(other.at(here.tag, spread).away == there.away);
  }));
}

TEST(Geometry, AKeysTwoGroupsDifferAndLieInOneBlock) {
  EXPECT_TRUE(rc::check([] {
    const Geometry geometry(*any_group_count());
    const Address address = geometry.locate(any_key(), Shape::word);
    RC_ASSERT(address.home < geometry.groups());
    RC_ASSERT(address.away < geometry.groups());
    RC_ASSERT(address.home != address.away);
    RC_ASSERT(address.home >> 15 == address.away >> 15);
    RC_ASSERT(geometry.other(address.home, address.tag) == address.away);
    RC_ASSERT(geometry.other(address.away, address.tag) == address.home);
  }));
}

TEST(Geometry, ShapesOfOneKeyAreToldApart) {
  const Geometry geometry(Geometry::fewest_groups);
  std::map<Tag, int> tags;
  for (const Shape shape : shapes) ++tags[geometry.locate(key_of(1), shape).tag];
  EXPECT_EQ(tags.size(), shapes.size());
}

TEST(Geometry, AKeyOfZerosIsNotAnEmptyCell) {
  const Geometry geometry(5000);
  const Address address = geometry.locate({}, Shape::word);
  EXPECT_NE(address.tag, 0u);
  EXPECT_EQ(geometry.at(address.tag, geometry.spread(address.home, address.tag)).home,
            address.home);
}

TEST(Geometry, HomesAreSpreadEvenly) {
  const Geometry geometry(Geometry::fewest_groups);
  std::vector<int> homes(geometry.groups());
  constexpr int keys_per_group = 100;
  for (std::uint64_t key = 0; key < geometry.groups() * keys_per_group; ++key) {
    ++homes[geometry.locate(key_of(key), Shape::word).home];
  }
  for (const int count : homes) {
    EXPECT_GT(count, keys_per_group - 60);  // six standard deviations
    EXPECT_LT(count, keys_per_group + 60);
  }
}

}  // namespace
}  // namespace weir::store
