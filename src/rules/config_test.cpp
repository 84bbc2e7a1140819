// SPDX-License-Identifier: Apache-2.0
#include "rules/config.hpp"

#include <gtest/gtest.h>

namespace weir::rules {
namespace {

TEST(Config, Everything) {
  const auto loaded = load_config(WEIR_TEST_DATA "/config/good/everything.yaml");
  for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  ASSERT_TRUE(loaded.config);
}

}  // namespace
}  // namespace weir::rules
