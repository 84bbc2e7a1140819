// SPDX-License-Identifier: Apache-2.0
// The requests within a body of /v1/check.
#include "front/http/check.hpp"
#include "front/http/json_fields.hpp"
#include "rules/text.hpp"

namespace weir::front {

namespace {

using Kind = JsonNode::Kind;

struct RequestFields {
  const JsonNode* method = nullptr;
  const JsonNode* host = nullptr;
  const JsonNode* path = nullptr;
  const JsonNode* headers = nullptr;
  const JsonNode* entries = nullptr;
  const JsonNode* ip = nullptr;
  const JsonNode* peer = nullptr;
  const JsonNode* cost = nullptr;
};

/// Whether a key like that of `key` stands before it in its object.
bool is_repeated(const JsonNode& object, const JsonNode& key) {
  for (const JsonNode* at = &object + 1; at != &key; at += 1 + at[1].span) {
    if (at->text == key.text) return true;
  }
  return false;
}

}  // namespace

bool CheckReader::read_text(std::string_view field, const JsonNode* node, std::string_view& text) {
  if (node == nullptr) return true;
  if (node->kind != Kind::string) return fail_kind(field, "a string", *node);
  text = node->text;
  return true;
}

bool CheckReader::read_request(const JsonNode& node, const JsonNode* outer_cost, CheckAsk& ask) {
  static constexpr JsonField<RequestFields> known[] = {
      {"method", &RequestFields::method},   {"host", &RequestFields::host},
      {"path", &RequestFields::path},       {"headers", &RequestFields::headers},
      {"entries", &RequestFields::entries}, {"ip", &RequestFields::ip},
      {"peer", &RequestFields::peer},       {"cost", &RequestFields::cost}};
  if (node.kind != Kind::object) return fail_kind("request", "an object", node);
  place_.in_request = true;
  RequestFields fields;
  if (const auto wrong = sort_fields(node, known, fields)) return fail(wrong->field, wrong->text);
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
  if (!read_request_cost(outer_cost, fields.cost, request)) return false;
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

}  // namespace weir::front
