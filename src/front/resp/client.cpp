// SPDX-License-Identifier: Apache-2.0
#include "front/resp/client.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "front/resp/call.hpp"

namespace weir::front::resp {

namespace {

using wire::resp::Writer;

constexpr std::size_t most_echoed = 128;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// Takes as long whatever the given text is like, so that time does not tell how much of it is
/// right.
bool same_secret(std::string_view secret, std::string_view given) noexcept {
  std::size_t different = secret.size() ^ given.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    different |= static_cast<unsigned char>(given[i] ^ secret[i % secret.size()]);
  }
  return different == 0;
}

/// Whether the pair opens the door. Without a password the user `default` may say any, as in Redis.
bool log_in(Client& client, std::string_view user, std::string_view password) {
  const bool known = user == "default";
  const bool right = client.password.empty() || same_secret(client.password, password);
  if (!known || !right) return false;
  client.authenticated = true;
  return true;
}

constexpr std::string_view wrong_pass =
    "WRONGPASS invalid username-password pair or user is disabled.";

bool is_client_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

constexpr std::string_view bad_client_name =
    "ERR Client names cannot contain spaces, newlines or special characters.";

void write_hello(const Client& client, Writer reply) {
  reply.map(7);
  reply.bulk("server");
  reply.bulk("weir");
  reply.bulk("version");
  reply.bulk(redis_version);
  reply.bulk("proto");
  reply.integer(client.resp3 ? 3 : 2);
  reply.bulk("id");
  reply.integer(static_cast<std::int64_t>(client.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.array(0);
}

/// The options of HELLO behind the version. Nothing where they are well, else the error.
std::string hello_options(Call& call) {
  const auto& args = call.args;
  for (std::size_t i = 2; i < args.size();) {
    if (is_named(args[i], "auth") && i + 2 < args.size()) {
      if (!log_in(call.client, args[i + 1], args[i + 2])) return std::string(wrong_pass);
      i += 3;
    } else if (is_named(args[i], "setname") && i + 1 < args.size()) {
      if (!is_client_name(args[i + 1])) return std::string(bad_client_name);
      call.client.name = args[i + 1];
      i += 2;
    } else {
      return std::string("ERR Syntax error in HELLO option '")
          .append(args[i].substr(0, most_echoed))
          .append("'");
    }
  }
  return {};
}

}  // namespace

void hello(Call& call) {
  bool resp3 = call.client.resp3;
  if (call.args.size() > 1) {
    const auto version = call.args[1];
    const bool number = !version.empty() && std::all_of(version.begin(), version.end(), [](char c) {
      return c >= '0' && c <= '9';
    });
    if (!number) {
      return call.reply().error("ERR Protocol version is not an integer or out of range");
    }
    if (version != "2" && version != "3") {
      return call.reply().error("NOPROTO unsupported protocol version");
    }
    resp3 = version == "3";
    if (const auto wrong = hello_options(call); !wrong.empty()) return call.reply().error(wrong);
  }
  if (!call.client.may_ask()) {
    return call.reply().error(
        "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO "
        "<proto> AUTH <user> <pass> option can be used to authenticate the client and select the "
        "RESP protocol version at the same time");
  }
  call.client.resp3 = resp3;
  write_hello(call.client, call.reply());
}

void auth(Call& call) {
  const auto& args = call.args;
  if (args.size() > 3) return call.reply().error("ERR syntax error");
  if (args.size() == 2 && call.client.password.empty()) {
    return call.reply().error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const std::string_view user = args.size() == 3 ? args[1] : "default";
  if (!log_in(call.client, user, args.back())) return call.reply().error(wrong_pass);
  call.reply().simple("OK");
}

void quit(Call& call) {
  call.client.closing = true;
  call.reply().simple("OK");
}

void reset(Call& call) {
  call.client.authenticated = false;
  call.client.resp3 = false;
  call.client.name.clear();
  call.reply().simple("RESET");
}

void client(Call& call) {
  const auto option = call.args[1];
  const auto count = call.args.size();
  Client& self = call.client;
  const auto line = [&self] {
    return "id=" + std::to_string(self.id) + " name=" + self.name +
           " db=0 user=default resp=" + (self.resp3 ? "3" : "2") + "\n";
  };
  if (is_named(option, "setname") && count == 3) {
    if (!is_client_name(call.args[2])) return call.reply().error(bad_client_name);
    self.name = call.args[2];
    return call.reply().simple("OK");
  }
  if (is_named(option, "getname") && count == 2) {
    return self.name.empty() ? call.reply().null() : call.reply().bulk(self.name);
  }
  if (is_named(option, "id") && count == 2) {
    return call.reply().integer(static_cast<std::int64_t>(self.id));
  }
  // A client is told of itself only: others' names and addresses are no business of its.
  if (is_named(option, "info") || is_named(option, "list")) return call.reply().bulk(line());
  // What these ask for is granted by doing nothing: there is no cache to track and no key to touch.
  const bool granted =
      (is_named(option, "setinfo") && count == 4) || (is_named(option, "no-evict") && count == 3) ||
      (is_named(option, "no-touch") && count == 3) ||
      (is_named(option, "tracking") && count == 3 && is_named(call.args[2], "off"));
  if (granted) return call.reply().simple("OK");
  unknown_subcommand(call);
}

void wrong_count(std::string_view command, Writer& reply) {
  reply.error("ERR wrong number of arguments for '" + lower_case(command.substr(0, most_echoed)) +
              "' command");
}

void unknown_subcommand(Call& call) {
  std::string text = "ERR unknown subcommand '";
  std::string command(call.args[0]);
  for (char& c : command) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  call.reply().error(text.append(call.args[1].substr(0, most_echoed))
                         .append("' or wrong number of arguments for it. Try COMMAND DOCS ")
                         .append(command)
                         .append("."));
}

bool is_named(std::string_view name, std::string_view lower) noexcept {
  if (name.size() != lower.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != lower[i]) return false;
  }
  return true;
}

bool is_http(std::string_view command) noexcept {
  return is_named(command, "post") || is_named(command, "host:");
}

}  // namespace weir::front::resp
