// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>
#include <string_view>

#include "cli/json_writer.hpp"
#include "cli/spelled.hpp"
#include "rules/problems.hpp"

namespace weir::cli {

namespace {

void tell_part(std::string_view what, std::uint64_t part, std::uint64_t whole, std::ostream& out) {
  fmt::print(out, "{:<12}{:>12}  {:>7}\n", what, grouped(part), percent(part, whole));
}

void tell_part_if_any(std::string_view what, std::uint64_t part, std::uint64_t whole,
                      std::ostream& out) {
  if (part > 0) tell_part(what, part, whole, out);
}

void tell_log(const LogSummary& log, std::ostream& out) {
  fmt::print(out, "{}: {} lines", log.name, grouped(log.lines));
  if (log.bad_lines > 0) fmt::print(out, ", {} of them no request", grouped(log.bad_lines));
  if (log.without_address > 0) {
    fmt::print(out, ", {} of clients without an address, who share one key",
               grouped(log.without_address));
  }
  out << '\n';
}

void tell_totals(const ReplayReport& report, std::ostream& out) {
  const auto all = report.requests;
  fmt::print(out, "\n{} requests from {} to {} UTC\n", grouped(all), spelled(report.first),
             spelled(report.last));
  tell_part("admitted", report.admitted, all, out);
  tell_part("refused", report.refused, all, out);
  tell_part_if_any("forbidden", report.forbidden, all, out);
  tell_part_if_any("unavailable", report.unavailable, all, out);
  tell_part_if_any("exempt", report.exempt, all, out);
  tell_part_if_any("unlimited", report.unlimited, all, out);
  tell_part_if_any("delayed", report.delayed, all, out);
  if (report.delayed > 0) fmt::print(out, "longest delay {}\n", spelled(report.longest_delay));
}

void tell_limit(const LimitReport& limit, std::ostream& out) {
  fmt::print(out, "  {}\n", limit.name);
  fmt::print(out, "    {} admitted, {} refused\n", grouped(limit.admitted), grouped(limit.refused));
  const auto compared = limit.requests - limit.not_compared;
  fmt::print(out, "    against an exact sliding log: {} false refusals, {} false admissions ({})\n",
             grouped(limit.false_refusals), grouped(limit.false_admissions),
             percent(limit.false_refusals + limit.false_admissions, compared));
  if (limit.not_compared > 0) {
    fmt::print(out, "    {} requests could not be compared for want of memory\n",
               grouped(limit.not_compared));
  }
}

void tell_top(const RuleReport& rule, std::ostream& out) {
  if (rule.top_refused.empty()) return;
  fmt::print(out, "  refused most, of {}{} keys:\n",
             rule.keys_are_counted_in_part ? "more than " : "", grouped(rule.refused_keys));
  for (const auto& [key, refused] : rule.top_refused) {
    fmt::print(out, "    {:>9}  {}\n", grouped(refused), rules::shown(key));
  }
}

void tell_rule(const RuleReport& rule, std::ostream& out) {
  fmt::print(out, "\nrule {}{}: {} requests, {} admitted, {} refused\n", rule.name,
             rule.shadow ? " (shadow)" : "", grouped(rule.requests), grouped(rule.admitted),
             grouped(rule.refused));
  for (const auto& limit : rule.limits) tell_limit(limit, out);
  tell_top(rule, out);
}

void write_log(const LogSummary& log, JsonWriter& json) {
  json.open('{').name("log").value(log.name).name("lines").value(log.lines);
  json.name("bad_lines").value(log.bad_lines);
  json.name("without_address").value(log.without_address).close('}');
}

void write_totals(const ReplayReport& report, JsonWriter& json) {
  json.name("first").value(report.first.time_since_epoch());
  json.name("last").value(report.last.time_since_epoch());
  json.name("requests").value(report.requests);
  json.name("admitted").value(report.admitted).name("refused").value(report.refused);
  json.name("forbidden").value(report.forbidden).name("unavailable").value(report.unavailable);
  json.name("exempt").value(report.exempt).name("unlimited").value(report.unlimited);
  json.name("delayed").value(report.delayed).name("longest_delay").value(report.longest_delay);
}

void write_limit(const LimitReport& limit, JsonWriter& json) {
  json.open('{').name("limit").value(limit.name);
  json.name("algorithm").value(to_string(limit.limit.algorithm()));
  json.name("requests").value(limit.requests).name("admitted").value(limit.admitted);
  json.name("refused").value(limit.refused).name("false_refusals").value(limit.false_refusals);
  json.name("false_admissions").value(limit.false_admissions);
  json.name("not_compared").value(limit.not_compared).close('}');
}

void write_rule(const RuleReport& rule, JsonWriter& json) {
  json.open('{').name("rule").value(rule.name).name("shadow").value(rule.shadow);
  json.name("requests").value(rule.requests).name("admitted").value(rule.admitted);
  json.name("refused").value(rule.refused).name("limits").open('[');
  for (const auto& limit : rule.limits) write_limit(limit, json);
  json.close(']').name("refused_keys").value(rule.refused_keys);
  json.name("top_refused").open('[');
  for (const auto& [key, refused] : rule.top_refused) {
    json.open('{').name("key").value(key).name("refused").value(refused).close('}');
  }
  json.close(']').close('}');
}

void write_timeline(const Timeline& timeline, JsonWriter& json) {
  json.name("timeline").open('{').name("step").value(timeline.step()).name("steps").open('[');
  for (std::size_t at = 0; at < timeline.steps().size(); ++at) {
    const auto& step = timeline.steps()[at];
    json.open('{').name("t").value(timeline.start_of(at).time_since_epoch());
    json.name("admitted").value(step.admitted).name("refused").value(step.refused).close('}');
  }
  json.close(']').close('}');
}

}  // namespace

void tell_text(const ReplayReport& report, std::ostream& out) {
  for (const auto& log : report.logs) tell_log(log, out);
  tell_totals(report, out);
  for (const auto& rule : report.rules) tell_rule(rule, out);
  fmt::print(out, "\n{:<62}{:>13}{:>13}\n", "time (UTC): # admitted, x refused", "admitted",
             "refused");
  report.timeline->draw(out);
}

void tell_json(const ReplayReport& report, std::ostream& out) {
  std::string text;
  JsonWriter json(text);
  json.open('{').name("logs").open('[');
  for (const auto& log : report.logs) write_log(log, json);
  json.close(']');
  write_totals(report, json);
  json.name("rules").open('[');
  for (const auto& rule : report.rules) write_rule(rule, json);
  json.close(']');
  write_timeline(*report.timeline, json);
  json.close('}');
  out << text << '\n';
}

}  // namespace weir::cli
