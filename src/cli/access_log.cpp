// SPDX-License-Identifier: Apache-2.0
#include "cli/access_log.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace weir::cli {

namespace {

/// The number that a text of digits and nothing else is.
std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<unsigned> month_of(std::string_view name) {
  constexpr std::string_view names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto at = names.find(name);
  if (at == std::string_view::npos || at % 3 != 0) return {};
  return static_cast<unsigned>(at / 3 + 1);
}

std::optional<std::chrono::sys_days> parse_date(std::string_view text) {
  const auto day = digits(text.substr(0, 2));
  const auto month = month_of(text.substr(3, 3));
  const auto year = digits(text.substr(7, 4));
  if (!day || !month || !year || text[2] != '/' || text[6] != '/') return {};
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{*month},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return {};
  return std::chrono::sys_days{date};
}

/// `10:05:03`. A leap second is the second after.
std::optional<std::chrono::seconds> parse_clock(std::string_view text) {
  const auto hour = digits(text.substr(0, 2));
  const auto minute = digits(text.substr(3, 2));
  const auto second = digits(text.substr(6, 2));
  if (!hour || !minute || !second || text[2] != ':' || text[5] != ':') return {};
  if (*hour > 23 || *minute > 59 || *second > 60) return {};
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

/// `+0530`: what local time is ahead of universal time.
std::optional<std::chrono::minutes> parse_zone(std::string_view text) {
  const auto hours = digits(text.substr(1, 2));
  const auto minutes = digits(text.substr(3, 2));
  if (!hours || !minutes || (text[0] != '+' && text[0] != '-') || *minutes > 59) return {};
  const auto ahead = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return text[0] == '-' ? -ahead : ahead;
}

constexpr std::string_view stamp_example = "17/May/2015:10:05:03 +0000";

std::optional<Time> parse_stamp(std::string_view text) {
  if (text.size() != stamp_example.size() || text[11] != ':' || text[20] != ' ') return {};
  const auto date = parse_date(text.substr(0, 11));
  const auto clock = parse_clock(text.substr(12, 8));
  const auto zone = parse_zone(text.substr(21, 5));
  if (!date || !clock || !zone) return {};
  const auto time = std::chrono::sys_seconds{*date} + *clock - *zone;
  const auto latest = std::chrono::floor<std::chrono::seconds>(latest_time);
  if (time.time_since_epoch().count() < 0 || time > latest) return {};
  return time;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// What one escape stands for, and how long it is. An unknown one stands for itself.
struct Escape {
  char meaning;
  std::size_t size;
};

Escape read_escape(std::string_view text) {
  if (text.size() >= 4 && text[1] == 'x') {
    const int high = hex_digit(text[2]);
    const int low = hex_digit(text[3]);
    if (high >= 0 && low >= 0) return {static_cast<char>(high * 16 + low), 4};
  }
  if (text.size() < 2) return {'\\', 1};
  constexpr std::string_view letters = "\"\\nrtbfv", meanings = "\"\\\n\r\t\b\f\v";
  const auto at = letters.find(text[1]);
  if (at == std::string_view::npos) return {'\\', 1};
  return {meanings[at], 2};
}

/// `text` with its escapes undone; `storage` is used where there are any.
std::string_view unescape(std::string_view text, std::string& storage) {
  if (text.find('\\') == std::string_view::npos) return text;
  storage.clear();
  while (!text.empty()) {
    const auto plain = std::min(text.find('\\'), text.size());
    storage += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto escape = read_escape(text);
    storage += escape.meaning;
    text.remove_prefix(escape.size);
  }
  return storage;
}

/// Takes a field in quotes, still escaped, and the space before it. The closing quote is the first
/// one that a space or the line's end follows: some servers write quotes inside a field as they
/// are.
std::optional<std::string_view> take_quoted(std::string_view& rest) {
  const auto open = rest.find_first_not_of(' ');
  if (open == std::string_view::npos || rest[open] != '"') return {};
  for (auto at = open + 1; at < rest.size(); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == '"' && (at + 1 == rest.size() || rest[at + 1] == ' ')) {
      const auto field = rest.substr(open + 1, at - open - 1);
      rest.remove_prefix(at + 1);
      return field;
    }
  }
  return {};
}

/// Takes the time in brackets and what stands before it. A user's name may hold brackets and
/// spaces.
std::optional<Time> take_time(std::string_view& rest) {
  for (auto at = rest.find('['); at != std::string_view::npos; at = rest.find('[', at + 1)) {
    const auto close = at + 1 + stamp_example.size();
    if (close >= rest.size() || rest[close] != ']') continue;
    const auto time = parse_stamp(rest.substr(at + 1, stamp_example.size()));
    if (!time) continue;
    rest.remove_prefix(close + 1);
    return time;
  }
  return {};
}

/// A header's field, empty where it is missing or `-`.
std::string_view take_header(std::string_view& rest, std::string& storage) {
  const auto field = take_quoted(rest);
  return !field || *field == "-" ? std::string_view{} : unescape(*field, storage);
}

void skip_status_and_size(std::string_view& rest) {
  const auto end = rest.find('"');
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end);
}

bool is_method(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
  });
}

/// Splits `GET /x HTTP/1.1`; a target may hold spaces, and the oldest requests name no protocol.
bool split_request(std::string_view line, LoggedRequest& request) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return false;
  request.method = line.substr(0, space);
  line.remove_prefix(space + 1);
  const auto protocol = line.rfind(" HTTP/");
  request.target = line.substr(0, protocol);
  return is_method(request.method) && !request.target.empty();
}

}  // namespace

Result<LoggedRequest> AccessLogParser::parse(std::string_view line) {
  LoggedRequest request;
  const auto space = line.find(' ');
  if (line.empty()) return Error{"the line is empty"};
  if (space == 0 || space == std::string_view::npos) return Error{"no client at its beginning"};
  request.client = line.substr(0, space);
  auto rest = line.substr(space);
  const auto time = take_time(rest);
  if (!time) return Error{"no time like [" + std::string(stamp_example) + "]"};
  request.time = *time;
  const auto request_line = take_quoted(rest);
  if (!request_line) return Error{"no request in quotes behind the time"};
  if (!split_request(unescape(*request_line, request_), request)) {
    return Error{"no HTTP request like \"GET /x HTTP/1.1\""};
  }
  skip_status_and_size(rest);
  request.referer = take_header(rest, referer_);
  request.user_agent = take_header(rest, user_agent_);
  return request;
}

}  // namespace weir::cli
