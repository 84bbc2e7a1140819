// SPDX-License-Identifier: Apache-2.0
#include "front/http/check.hpp"

#include <algorithm>
#include <array>

#include "front/http/json_fields.hpp"
#include "limit/text.hpp"

namespace weir::front {

namespace {

using Kind = JsonNode::Kind;

struct VerbName {
  std::string_view name;
  Verb verb;
};
constexpr std::array verb_names{VerbName{"acquire", Verb::acquire}, VerbName{"peek", Verb::peek},
                                VerbName{"debit", Verb::debit}, VerbName{"refund", Verb::refund}};

}  // namespace

struct CheckReader::ItemFields {
  const JsonNode* limit = nullptr;
  const JsonNode* rate = nullptr;
  const JsonNode* request = nullptr;
  const JsonNode* all = nullptr;
  const JsonNode* key = nullptr;
  const JsonNode* cost = nullptr;
  const JsonNode* verb = nullptr;

  [[nodiscard]] int kinds() const noexcept {
    return (limit != nullptr) + (rate != nullptr) + (request != nullptr) + (all != nullptr);
  }
};

bool CheckReader::fail(std::string_view field, std::string_view text) {
  error_.clear();
  if (place_.item) error_ += "requests[" + std::to_string(*place_.item) + "]";
  if (place_.in_all) error_ += ".all[" + std::to_string(*place_.in_all) + "]";
  if (place_.in_request) error_ += ".request";
  if (!field.empty() && !error_.empty()) error_ += '.';
  error_ += field;
  if (!error_.empty()) error_ += ": ";
  error_ += text;
  return false;
}

bool CheckReader::fail_kind(std::string_view field, std::string_view wanted, const JsonNode& node) {
  return fail(field, "must be " + std::string(wanted) + ", not " + std::string(name_of(node.kind)));
}

bool CheckReader::read(std::string_view body, const rules::RuleSet& rules) {
  rules_ = &rules;
  place_ = {};
  items_.clear();
  asks_.clear();
  key_parts_.clear();
  headers_.clear();
  entries_.clear();
  if (!json_.parse(body)) return fail({}, "the body is not JSON: " + json_.error());
  const JsonNode& root = json_.root();
  if (root.kind != Kind::object) return fail_kind({}, "an object with 'requests'", root);

  struct TopFields {
    const JsonNode* requests = nullptr;
  };
  static constexpr JsonField<TopFields> known[] = {{"requests", &TopFields::requests}};
  TopFields top;
  if (const auto wrong = sort_fields(root, known, top)) return fail(wrong->field, wrong->text);
  if (top.requests == nullptr) return fail("requests", "is missing");
  const JsonNode& requests = *top.requests;
  if (requests.kind != Kind::array) return fail_kind("requests", "an array", requests);

  const std::size_t most = root.span;
  items_.reserve(std::min(most, most_asks));
  asks_.reserve(std::min(most, most_asks));
  key_parts_.reserve(most);
  headers_.reserve(most);
  entries_.reserve(most);
  for (const auto& node : JsonChildren(requests)) {
    place_ = {.item = items_.size(), .in_all = {}, .in_request = false};
    if (!read_item(node)) return false;
  }
  return true;
}

bool CheckReader::read_item(const JsonNode& node) {
  static constexpr JsonField<ItemFields> known[] = {
      {"limit", &ItemFields::limit}, {"rate", &ItemFields::rate}, {"key", &ItemFields::key},
      {"cost", &ItemFields::cost},   {"verb", &ItemFields::verb}, {"request", &ItemFields::request},
      {"all", &ItemFields::all}};
  if (node.kind != Kind::object) return fail_kind({}, "an object", node);
  ItemFields fields;
  if (const auto wrong = sort_fields(node, known, fields)) return fail(wrong->field, wrong->text);
  if (fields.kinds() != 1) {
    return fail({}, "exactly one of 'limit', 'rate', 'request' and 'all' is needed");
  }
  CheckItem item;
  if (!read_verb(fields.verb, item.verb)) return false;
  const std::size_t first = asks_.size();
  item.all = fields.all != nullptr;
  if (!(item.all ? read_all(fields) : read_ask(fields))) return false;
  item.asks = std::span(asks_).subspan(first);
  items_.push_back(item);
  return true;
}

bool CheckReader::read_all(const ItemFields& fields) {
  const JsonNode& all = *fields.all;
  if (fields.key != nullptr) return fail("key", "belongs into each member of 'all'");
  if (fields.cost != nullptr) return fail("cost", "belongs into each member of 'all'");
  if (all.kind != Kind::array) return fail_kind("all", "an array", all);
  if (all.span == 1) return fail("all", "is empty");
  std::size_t count = 0;
  for (const auto& node : JsonChildren(all)) {
    place_.in_all = count++;
    if (!read_member(node)) return false;
  }
  place_.in_all.reset();
  return true;
}

bool CheckReader::read_member(const JsonNode& node) {
  static constexpr JsonField<ItemFields> known[] = {{"limit", &ItemFields::limit},
                                                    {"rate", &ItemFields::rate},
                                                    {"key", &ItemFields::key},
                                                    {"cost", &ItemFields::cost},
                                                    {"request", &ItemFields::request}};
  if (node.kind != Kind::object) return fail_kind({}, "an object", node);
  ItemFields fields;
  if (const auto wrong = sort_fields(node, known, fields)) return fail(wrong->field, wrong->text);
  if (fields.kinds() != 1) {
    return fail({}, "exactly one of 'limit', 'rate' and 'request' is needed");
  }
  return read_ask(fields);
}

bool CheckReader::read_ask(const ItemFields& fields) {
  if (asks_.size() == most_asks) return fail({}, "one call asks at most 1000 times");
  CheckAsk ask;
  if (fields.request == nullptr) {
    if (!read_limit(fields, ask)) return false;
  } else {
    if (fields.key != nullptr) return fail("key", "is made by the rules; it belongs to a limit");
    if (!read_request(*fields.request, fields.cost, ask)) return false;
  }
  asks_.push_back(ask);
  return true;
}

bool CheckReader::read_limit(const ItemFields& fields, CheckAsk& ask) {
  if (fields.limit != nullptr && !read_named(*fields.limit, ask)) return false;
  if (fields.rate != nullptr && !read_rate(*fields.rate, ask)) return false;
  if (fields.key != nullptr && !read_key(*fields.key, ask)) return false;
  return fields.cost == nullptr || read_cost(*fields.cost, ask.cost);
}

bool CheckReader::read_named(const JsonNode& node, CheckAsk& ask) {
  if (node.kind != Kind::string) return fail_kind("limit", "a limit's name", node);
  ask.named = rules_->named_limit(node.text);
  if (ask.named != nullptr) return true;
  std::vector<std::string_view> names;
  for (const auto* limit : rules_->all_limits()) {
    if (limit->rule.empty()) names.push_back(limit->name);
  }
  return fail("limit", "there is no limit " + quoted(node.text) + " in the configuration" +
                           did_you_mean(node.text, names));
}

bool CheckReader::read_rate(const JsonNode& node, CheckAsk& ask) {
  if (node.kind != Kind::string) return fail_kind("rate", "a string like '10/s burst 50'", node);
  const auto limit = rates_.parse(node.text);
  if (!limit) return fail("rate", limit.error());
  ask.rate = *limit;
  return true;
}

bool CheckReader::read_key(const JsonNode& node, CheckAsk& ask) {
  const std::size_t first = key_parts_.size();
  if (node.kind == Kind::string) {
    key_parts_.push_back(node.text);
  } else if (node.kind == Kind::array) {
    for (const auto& part : JsonChildren(node)) {
      if (part.kind != Kind::string) return fail_kind("key", "a list of strings", part);
      if (key_parts_.size() - first == most_key_parts) return fail("key", "has more than 16 parts");
      key_parts_.push_back(part.text);
    }
  } else {
    return fail_kind("key", "a string or a list of strings", node);
  }
  ask.key = std::span(key_parts_).subspan(first);
  return true;
}

bool CheckReader::read_verb(const JsonNode* node, Verb& verb) {
  if (node == nullptr) return true;
  if (node->kind != Kind::string) return fail_kind("verb", "a string", *node);
  for (const auto& known : verb_names) {
    if (known.name != node->text) continue;
    verb = known.verb;
    return true;
  }
  std::array<std::string_view, verb_names.size()> names;
  std::transform(verb_names.begin(), verb_names.end(), names.begin(),
                 [](const auto& known) { return known.name; });
  return fail("verb", "must be 'acquire', 'peek', 'debit' or 'refund', not " + quoted(node->text) +
                          did_you_mean(node->text, names));
}

bool CheckReader::read_cost(const JsonNode& node, std::uint64_t& cost) {
  if (node.kind == Kind::whole) {
    cost = node.number;
    return true;
  }
  constexpr std::string_view wanted = "a whole number from 0 to 18446744073709551615";
  if (node.kind == Kind::other_number) return fail("cost", "must be " + std::string(wanted));
  return fail_kind("cost", wanted, node);
}

namespace {

limiter::Batch::Index add_to(limiter::Batch& batch, const CheckAsk& ask, Verb verb) {
  if (ask.request) return batch.add_request(*ask.request, verb);
  if (ask.named != nullptr) return batch.add_named(*ask.named, ask.key, ask.cost, verb);
  return batch.add_limit(*ask.rate, ask.key, ask.cost, verb);
}

}  // namespace

limiter::Batch::Index add_to(limiter::Batch& batch, std::span<const CheckItem> items) {
  const auto first = static_cast<limiter::Batch::Index>(batch.size());
  for (const auto& item : items) {
    if (item.all) (void)batch.begin_all(item.verb);
    for (const auto& ask : item.asks) add_to(batch, ask, item.verb);
    if (item.all) batch.end_all();
  }
  return first;
}

}  // namespace weir::front
