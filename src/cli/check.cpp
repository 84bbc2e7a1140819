// SPDX-License-Identifier: Apache-2.0
#include "cli/check.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <ostream>
#include <string_view>

#include "cli/config_file.hpp"
#include "cli/json_writer.hpp"
#include "rules/config.hpp"

namespace weir::cli {

namespace {

struct Checked {
  std::string file;
  rules::LoadedConfig loaded;

  [[nodiscard]] bool ok() const noexcept { return loaded.config.has_value(); }
  [[nodiscard]] std::size_t rules() const { return loaded.config->rules->rule_count(); }
  [[nodiscard]] std::size_t limits() const { return loaded.config->rules->all_limits().size(); }
};

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void tell(const Checked& checked, std::ostream& out) {
  for (const auto& problem : checked.loaded.problems) out << problem.to_string() << '\n';
  if (!checked.ok()) return;
  fmt::print(out, "{}: ok: {}, {}\n", checked.file, counted(checked.rules(), "rule"),
             counted(checked.limits(), "limit"));
}

void write_problem(const rules::Problem& problem, JsonWriter& json) {
  json.open('{').name("severity").value(problem.warning ? "warning" : "error");
  json.name("file").value(problem.file);
  json.name("line").value(problem.line).name("column").value(problem.column);
  json.name("field").value(problem.field).name("text").value(problem.text).close('}');
}

void write_checked(const Checked& checked, JsonWriter& json) {
  json.open('{').name("file").value(checked.file).name("ok").value(checked.ok());
  if (checked.ok()) {
    json.name("rules").value(checked.rules()).name("limits").value(checked.limits());
  }
  json.name("problems").open('[');
  for (const auto& problem : checked.loaded.problems) write_problem(problem, json);
  json.close(']').close('}');
}

}  // namespace

int check(const CheckOptions& options, const Streams& streams) {
  std::vector<Checked> all;
  for (const auto& file : options.files) all.push_back({file, read_config(file)});
  const bool ok = std::ranges::all_of(all, &Checked::ok);
  if (options.format == Format::json) {
    std::string out;
    JsonWriter json(out);
    json.open('{').name("ok").value(ok).name("files").open('[');
    for (const auto& checked : all) write_checked(checked, json);
    json.close(']').close('}');
    streams.out << out << '\n';
  } else {
    for (const auto& checked : all) tell(checked, streams.out);
  }
  return ok ? exit_done : exit_no;
}

}  // namespace weir::cli
