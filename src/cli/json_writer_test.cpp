// SPDX-License-Identifier: Apache-2.0
#include "cli/json_writer.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace weir::cli {
namespace {

TEST(JsonWriter, CommasStandBetweenValuesAndNowhereElse) {
  std::string out;
  JsonWriter json(out);
  json.open('{').name("a").value(1).name("b").open('[').value(true).value("x").null().close(']');
  json.name("c").open('{').close('}').name("d").open('[').open('[').close(']').open('[').close(']');
  json.close(']').close('}');
  EXPECT_EQ(out, R"({"a":1,"b":[true,"x",null],"c":{},"d":[[],[]]})");
}

TEST(JsonWriter, NumbersKeepAll64Bits) {
  std::string out;
  JsonWriter json(out);
  json.open('[').value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<std::int64_t>::min()).close(']');
  EXPECT_EQ(out, "[18446744073709551615,-9223372036854775808]");
}

TEST(JsonWriter, NeverIsNull) {
  std::string out;
  JsonWriter json(out);
  json.open('[').value(Duration{5}).value(never).close(']');
  EXPECT_EQ(out, "[5,null]");
}

TEST(JsonWriter, NamesAndTextsAreEscaped) {
  std::string out;
  JsonWriter(out).open('{').name("a\"b").value("c\n").close('}');
  EXPECT_EQ(out, R"({"a\"b":"c\n"})");
}

}  // namespace
}  // namespace weir::cli
