// SPDX-License-Identifier: Apache-2.0
#include "cli/scenario.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "cli/json_fields.hpp"
#include "limit/text.hpp"

namespace weir::cli {

namespace json = boost::json;

namespace {

constexpr JsonFields::Range any_number{};
constexpr JsonFields::Range any_time{
    0, static_cast<std::uint64_t>(latest_time.time_since_epoch().count())};
constexpr JsonFields::Range any_period{static_cast<std::uint64_t>(Limit::shortest_period.count()),
                                       static_cast<std::uint64_t>(Limit::longest_period.count())};

constexpr std::array<std::pair<std::string_view, Verb>, 4> verbs{{
    {"acquire", Verb::acquire},
    {"peek", Verb::peek},
    {"debit", Verb::debit},
    {"refund", Verb::refund},
}};

Time read_time(JsonFields& fields) {
  return Time{Duration{static_cast<std::int64_t>(fields.required_number("t", any_time))}};
}

Verb named_verb(JsonFields& fields) {
  const auto text = fields.text("verb");
  if (!text) return Verb::acquire;
  for (const auto& [name, verb] : verbs) {
    if (name == *text) return verb;
  }
  fields.refuse("verb", *fields.find("verb"), "one of acquire, peek, debit, refund");
  return Verb::acquire;
}

Verb read_verb(JsonFields& fields) {
  const Verb verb = named_verb(fields);
  if (!fields.truth("force")) return verb;
  if (fields.find("verb") != nullptr && verb != Verb::debit) {
    fields.fail("force", "a forced event is a debit, its verb says another");
  }
  return Verb::debit;
}

std::optional<rules::Address> read_address(JsonFields& fields, std::string_view name) {
  const auto text = fields.text(name);
  if (!text) return {};
  auto address = rules::Address::parse(*text);
  if (!address) fields.refuse(name, *fields.find(name), "an address like \"198.18.0.1\"");
  return address;
}

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

std::string_view view_of(json::string_view text) { return {text.data(), text.size()}; }

/// Adds the fields of the object `field` to `pairs`. With `lists` a value may be a list of texts.
template <typename Pair>
void read_pairs(JsonFields& fields, std::string_view field, bool lists, std::vector<Pair>& pairs) {
  pairs.clear();
  const auto* value = fields.find(field);
  if (value == nullptr) return;
  const std::string_view wanted =
      lists ? "an object of texts or lists of texts" : "an object of texts";
  if (!value->is_object()) return fields.refuse(field, *value, wanted);
  const auto add = [&](std::string_view name, const json::value& text) {
    if (!text.is_string()) return fields.refuse(field, *value, wanted);
    pairs.push_back({name, view_of(text.get_string())});
  };
  for (const auto& [name, one] : value->get_object()) {
    if (!lists || !one.is_array()) {
      add(view_of(name), one);
    } else {
      for (const auto& text : one.get_array()) add(view_of(name), text);
    }
  }
}

/// Parses a line into `document`. Nothing, or what is wrong.
std::optional<Error> parse_object(std::string_view line, json::parser& parser,
                                  json::value& document) {
  json::error_code fault;
  parser.reset();
  const auto read = parser.write(line.data(), line.size(), fault);
  if (fault) {
    return Error{fmt::format("no JSON at column {}: {}", read + 1, fault.message())};
  }
  document = parser.release();
  if (!document.is_object()) return Error{"one JSON object a line is wanted, like {\"t\": 0}"};
  return {};
}

}  // namespace

Result<ScenarioLimit> ScenarioReader::read_limit(std::string_view line) {
  if (auto fault = parse_object(line, parser_, document_)) return std::move(*fault);
  JsonFields fields(document_.get_object());
  const auto algorithm = parse_algorithm(fields.text("algorithm").value_or("token_bucket"));
  if (!algorithm.ok()) fields.fail("algorithm", algorithm.error());
  const auto count = fields.required_number("limit", {0, Limit::most_units});
  const auto period = fields.required_number("period_ns", any_period);
  const auto burst = fields.number("burst", {1, Limit::most_units});
  const auto name = fields.text("name").value_or("");
  if (!fields.problem().empty()) return Error{"the limit's " + fields.problem()};
  const Rate rate{count, Duration{static_cast<std::int64_t>(period)}};
  const auto limit = make_limit({.rate = rate, .burst = burst, .algorithm = *algorithm});
  if (!limit.ok()) return Error{limit.error()};
  return ScenarioLimit{*limit, std::string(name)};
}

Result<LimitEvent> ScenarioReader::read_event(std::string_view line) {
  if (auto fault = parse_object(line, parser_, document_)) return std::move(*fault);
  JsonFields fields(document_.get_object());
  const LimitEvent event{.time = read_time(fields),
                         .key = fields.text("key").value_or(""),
                         .cost = fields.number("cost", any_number).value_or(1),
                         .verb = read_verb(fields)};
  if (fields.find("key") == nullptr) fields.fail("key", "missing; a text in quotes");
  if (!fields.problem().empty()) return Error{fields.problem()};
  return event;
}

Result<RequestEvent> ScenarioReader::read_request(std::string_view line) {
  if (auto fault = parse_object(line, parser_, document_)) return std::move(*fault);
  JsonFields fields(document_.get_object());
  read_pairs(fields, "headers", true, headers_);
  read_pairs(fields, "entries", false, entries_);
  const RequestEvent event{.time = read_time(fields),
                           .request = {.method = fields.text("method").value_or(""),
                                       .host = fields.text("host").value_or(""),
                                       .target = fields.text("path").value_or(""),
                                       .headers = headers_,
                                       .entries = entries_,
                                       .client = read_address(fields, "ip"),
                                       .peer = read_address(fields, "peer"),
                                       .cost = fields.number("cost", any_number)},
                           .verb = read_verb(fields)};
  if (event.request.client && event.request.peer) {
    fields.fail("peer", "a line has either `ip`, the client's own address, or the socket's `peer`");
  }
  if (!fields.problem().empty()) return Error{fields.problem()};
  return event;
}

}  // namespace weir::cli
