// SPDX-License-Identifier: Apache-2.0
#include "front/http/check.hpp"

#include <algorithm>
#include <array>

#include "limit/text.hpp"
#include "rules/problems.hpp"
#include "rules/text.hpp"

namespace weir::front {

namespace {

using Kind = JsonNode::Kind;

struct VerbName {
  std::string_view name;
  Verb verb;
};
constexpr std::array verb_names{VerbName{"acquire", Verb::acquire}, VerbName{"peek", Verb::peek},
                                VerbName{"debit", Verb::debit}, VerbName{"refund", Verb::refund}};

std::string quoted(std::string_view text) { return "'" + rules::shown(text) + "'"; }

/// Whether a key like that of `key` stands before it in its object.
bool is_repeated(const JsonNode& object, const JsonNode& key) {
  for (const JsonNode* at = &object + 1; at != &key; at += 1 + at[1].span) {
    if (at->text == key.text) return true;
  }
  return false;
}

}  // namespace

struct CheckReader::TopFields {
  const JsonNode* requests = nullptr;
};

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

struct CheckReader::RequestFields {
  const JsonNode* method = nullptr;
  const JsonNode* host = nullptr;
  const JsonNode* path = nullptr;
  const JsonNode* headers = nullptr;
  const JsonNode* entries = nullptr;
  const JsonNode* ip = nullptr;
  const JsonNode* peer = nullptr;
  const JsonNode* cost = nullptr;
};

template <typename Fields>
struct CheckReader::FieldName {
  std::string_view name;
  const JsonNode* Fields::*value;
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

/// Sorts the object's values into `fields`. None is unknown, none is there twice.
template <typename Fields, std::size_t count>
bool CheckReader::collect(const JsonNode& object, const FieldName<Fields> (&names)[count],
                          Fields& fields) {
  const JsonNode* const end = &object + object.span;
  for (const JsonNode* key = &object + 1; key != end; key += 1 + key[1].span) {
    const auto name = std::find_if(std::begin(names), std::end(names),
                                   [key](const auto& known) { return known.name == key->text; });
    if (name == std::end(names)) {
      std::array<std::string_view, count> known;
      std::transform(std::begin(names), std::end(names), known.begin(),
                     [](const auto& entry) { return entry.name; });
      return fail({}, "unknown field " + quoted(key->text) + did_you_mean(key->text, known));
    }
    if (fields.*name->value != nullptr) return fail(name->name, "is there twice");
    fields.*name->value = key + 1;
  }
  return true;
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

  static constexpr FieldName<TopFields> names[] = {{"requests", &TopFields::requests}};
  TopFields top;
  if (!collect(root, names, top)) return false;
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
  static constexpr FieldName<ItemFields> names[] = {
      {"limit", &ItemFields::limit}, {"rate", &ItemFields::rate},
      {"key", &ItemFields::key},     {"cost", &ItemFields::cost},
      {"verb", &ItemFields::verb},   {"request", &ItemFields::request},
      {"all", &ItemFields::all}};
  if (node.kind != Kind::object) return fail_kind({}, "an object", node);
  ItemFields fields;
  if (!collect(node, names, fields)) return false;
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
  static constexpr FieldName<ItemFields> names[] = {{"limit", &ItemFields::limit},
                                                    {"rate", &ItemFields::rate},
                                                    {"key", &ItemFields::key},
                                                    {"cost", &ItemFields::cost},
                                                    {"request", &ItemFields::request}};
  if (node.kind != Kind::object) return fail_kind({}, "an object", node);
  ItemFields fields;
  if (!collect(node, names, fields)) return false;
  if (fields.kinds() != 1) {
    return fail({}, "exactly one of 'limit', 'rate' and 'request' is needed");
  }
  return read_ask(fields);
}

bool CheckReader::read_ask(const ItemFields& fields) {
  if (asks_.size() == most_asks) return fail({}, "one call asks at most 1000 times");
  CheckAsk ask;
  if (!(fields.request != nullptr ? read_request(fields, ask) : read_limit(fields, ask))) {
    return false;
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
  const auto limit = Limit::parse(node.text);
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

bool CheckReader::read_text(std::string_view field, const JsonNode* node, std::string_view& text) {
  if (node == nullptr) return true;
  if (node->kind != Kind::string) return fail_kind(field, "a string", *node);
  text = node->text;
  return true;
}

bool CheckReader::read_request(const ItemFields& outer, CheckAsk& ask) {
  static constexpr FieldName<RequestFields> names[] = {
      {"method", &RequestFields::method},   {"host", &RequestFields::host},
      {"path", &RequestFields::path},       {"headers", &RequestFields::headers},
      {"entries", &RequestFields::entries}, {"ip", &RequestFields::ip},
      {"peer", &RequestFields::peer},       {"cost", &RequestFields::cost}};
  const JsonNode& node = *outer.request;
  if (outer.key != nullptr) return fail("key", "is made by the rules; it belongs to a limit");
  if (node.kind != Kind::object) return fail_kind("request", "an object", node);
  place_.in_request = true;
  RequestFields fields;
  if (!collect(node, names, fields)) return false;
  auto& request = ask.request.emplace();
  request.method = "GET";
  request.target = "/";
  if (!read_text("method", fields.method, request.method) ||
      !read_text("host", fields.host, request.host) ||
      !read_text("path", fields.path, request.target) ||
      !read_address("ip", fields.ip, request.client) ||
      !read_address("peer", fields.peer, request.peer)) {
    return false;
  }
  if (!rules::is_token(request.method)) return fail("method", "is not the name of a method");
  if (request.client && request.peer) return fail("peer", "and 'ip' exclude each other");
  if (fields.headers != nullptr && !read_headers(*fields.headers, request)) return false;
  if (fields.entries != nullptr && !read_entries(*fields.entries, request)) return false;
  if (!read_request_cost(outer.cost, fields.cost, request)) return false;
  place_.in_request = false;
  return true;
}

bool CheckReader::read_request_cost(const JsonNode* outer, const JsonNode* inner,
                                    rules::Request& request) {
  if (outer != nullptr && inner != nullptr) return fail("cost", "stands beside 'request' already");
  const JsonNode* const node = inner != nullptr ? inner : outer;
  if (node == nullptr) return true;
  place_.in_request = inner != nullptr;
  return read_cost(*node, request.cost.emplace());
}

bool CheckReader::read_address(std::string_view field, const JsonNode* node,
                               std::optional<rules::Address>& address) {
  if (node == nullptr) return true;
  if (node->kind != Kind::string) return fail_kind(field, "a string", *node);
  address = rules::Address::parse(node->text);
  return address || fail(field, quoted(node->text) + " is no IP address");
}

bool CheckReader::read_headers(const JsonNode& node, rules::Request& request) {
  if (node.kind != Kind::object) return fail_kind("headers", "an object", node);
  const std::size_t first = headers_.size();
  const JsonNode* const end = &node + node.span;
  for (const JsonNode* key = &node + 1; key != end; key += 1 + key[1].span) {
    if (is_repeated(node, *key)) return fail("headers", quoted(key->text) + " is there twice");
    if (!rules::is_token(key->text)) {
      return fail("headers", quoted(key->text) + " is not the name of a header field");
    }
    if (!add_header(key->text, key[1])) return false;
    if (headers_.size() - first > most_headers) return fail("headers", "has more than 128 fields");
  }
  request.headers = std::span(headers_).subspan(first);
  return true;
}

bool CheckReader::add_header(std::string_view name, const JsonNode& value) {
  if (value.kind == Kind::string) {
    headers_.push_back({name, value.text});
    return true;
  }
  if (value.kind != Kind::array) {
    return fail_kind("headers." + rules::shown(name), "a string or a list of strings", value);
  }
  for (const auto& one : JsonChildren(value)) {
    if (one.kind != Kind::string) {
      return fail_kind("headers." + rules::shown(name), "a list of strings", one);
    }
    headers_.push_back({name, one.text});
  }
  return true;
}

bool CheckReader::read_entries(const JsonNode& node, rules::Request& request) {
  if (node.kind != Kind::object) return fail_kind("entries", "an object", node);
  const std::size_t first = entries_.size();
  const JsonNode* const end = &node + node.span;
  for (const JsonNode* key = &node + 1; key != end; key += 1 + key[1].span) {
    if (is_repeated(node, *key)) return fail("entries", quoted(key->text) + " is there twice");
    if (key[1].kind != Kind::string) {
      return fail_kind("entries." + rules::shown(key->text), "a string", key[1]);
    }
    if (entries_.size() - first == most_entries) return fail("entries", "has more than 64 entries");
    entries_.push_back({key->text, key[1].text});
  }
  request.entries = std::span(entries_).subspan(first);
  return true;
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
