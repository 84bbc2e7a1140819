// SPDX-License-Identifier: Apache-2.0
#include "cli/json_writer.hpp"

#include "front/json_string.hpp"

namespace weir::cli {

void JsonWriter::separate() {
  if (!first_) out_ += ',';
  first_ = false;
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view name) {
  separate();
  front::append_json_string(name, out_);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  front::append_json_string(text, out_);
  return *this;
}

JsonWriter& JsonWriter::value(Duration span) {
  return span == never ? null() : value(span.count());
}

}  // namespace weir::cli
