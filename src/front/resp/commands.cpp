// SPDX-License-Identifier: Apache-2.0
// The commands by name, and those that only look around.
#include <algorithm>
#include <array>

#include "front/resp/call.hpp"
#include "front/resp/client.hpp"

namespace weir::front::resp {

namespace {

using wire::resp::Writer;

constexpr std::size_t most_echoed = 128;

void ping(Call& call) {
  if (call.args.size() > 1) return call.reply().bulk(call.args[1]);
  call.reply().simple("PONG");
}

void echo(Call& call) { call.reply().bulk(call.args[1]); }

void select(Call& call) {
  if (call.args[1] == "0") return call.reply().simple("OK");
  call.reply().error("ERR DB index is out of range: there is only database 0");
}

void time(Call& call) {
  using namespace std::chrono;
  const auto since_epoch = call.now.time_since_epoch();
  const auto whole = duration_cast<seconds>(since_epoch);
  Writer reply = call.reply();
  reply.array(2);
  reply.bulk(std::to_string(whole.count()));
  reply.bulk(std::to_string(duration_cast<microseconds>(since_epoch - whole).count()));
}

/// What tools ask for before they begin: nothing is saved the way Redis saves.
void config(Call& call) {
  static constexpr std::array<std::array<std::string_view, 2>, 2> settings{
      {{"save", ""}, {"appendonly", "no"}}};
  if (!is_named(call.args[1], "get") || call.args.size() < 3) return unknown_subcommand(call);
  const auto wanted = [&](const auto& setting) {
    return std::any_of(call.args.begin() + 2, call.args.end(),
                       [&](std::string_view name) { return is_named(name, setting[0]); });
  };
  const auto count = std::count_if(settings.begin(), settings.end(), wanted);
  Writer reply = call.reply();
  reply.map(static_cast<std::size_t>(count));
  for (const auto& setting : settings) {
    if (!wanted(setting)) continue;
    reply.bulk(setting[0]);
    reply.bulk(setting[1]);
  }
}

void info(Call& call) {
  struct Section {
    std::string_view name;
    std::string_view text;
  };
  static constexpr std::array<Section, 3> sections{{
      {"server",
       "# Server\r\nredis_version:7.0.0\r\nserver_name:weir\r\nredis_mode:standalone\r\n"},
      {"persistence", "# Persistence\r\nloading:0\r\n"},
      {"replication", "# Replication\r\nrole:master\r\nconnected_slaves:0\r\n"},
  }};
  const auto wanted = [&](const Section& section) {
    return call.args.size() == 1 ||
           std::any_of(call.args.begin() + 1, call.args.end(), [&](std::string_view name) {
             return is_named(name, section.name) || is_named(name, "all") ||
                    is_named(name, "default") || is_named(name, "everything");
           });
  };
  std::string text;
  for (const auto& section : sections) {
    if (!wanted(section)) continue;
    if (!text.empty()) text += "\r\n";
    text += section.text;
  }
  call.reply().bulk(text);
}

void command(Call& call);

struct Command {
  std::string_view name;
  int arity;  // its name included, as Redis counts; negative: at least so many
  int key;    // where its key stands; 0: it has none
  std::string_view summary;
  void (*answer)(Call&);  // null: a session decides it
};

constexpr std::array<Command, 17> commands{{
    {"cl.throttle", -5, 1, "Takes units from a rate limit given with the call", nullptr},
    {"weir.acquire", -3, 2, "Takes units from a named limit, all or nothing", nullptr},
    {"weir.peek", -3, 2, "Asks a named limit and takes nothing", nullptr},
    {"weir.debit", -3, 2, "Takes units from a named limit, even into debt", nullptr},
    {"weir.refund", -3, 2, "Gives units back to a named limit", nullptr},
    {"auth", -2, 0, "Authenticates the connection", auth},
    {"client", -2, 0, "Names the connection and tells about it", client},
    {"command", -1, 0, "Tells about the commands", command},
    {"config", -2, 0, "Tells the settings that tools ask for", config},
    {"echo", 2, 0, "Says the same", echo},
    {"hello", -1, 0, "Greets, and chooses the protocol", hello},
    {"info", -1, 0, "Tells about the server", info},
    {"ping", -1, 0, "Answers", ping},
    {"quit", -1, 0, "Closes the connection", quit},
    {"reset", 1, 0, "Begins the connection afresh", reset},
    {"select", 2, 0, "Chooses the database, of which there is one", select},
    {"time", 1, 0, "Tells the time", time},
}};

const Command* find(std::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const Command& one) { return is_named(name, one.name); });
  return found == commands.end() ? nullptr : &*found;
}

bool takes(const Command& command, std::size_t count) {
  const auto arity = static_cast<std::size_t>(std::abs(command.arity));
  if (command.name == "ping" && count > 2) return false;
  return command.arity < 0 ? count >= arity : count == arity;
}

void write_info(const Command& command, Writer& reply) {
  reply.array(10);
  reply.bulk(command.name);
  reply.integer(command.arity);
  reply.array(1);
  reply.simple("fast");
  reply.integer(command.key);
  reply.integer(command.key);
  reply.integer(command.key > 0 ? 1 : 0);
  for (int i = 0; i < 4; ++i) reply.array(0);  // categories, tips, key specifications, subcommands
}

void write_docs(const Command& command, Writer& reply) {
  reply.bulk(command.name);
  reply.map(2);
  reply.bulk("summary");
  reply.bulk(command.summary);
  reply.bulk("group");
  reply.bulk(command.answer == nullptr ? "rate limits" : "connection");
}

void command_info(const Call& call) {
  Writer reply = call.reply();
  reply.array(call.args.size() - 2);
  for (const auto name : call.args.subspan(2)) {
    const auto* found = find(name);
    if (found != nullptr) {
      write_info(*found, reply);
    } else {
      reply.null();
    }
  }
}

void command_docs(const Call& call) {
  const auto wanted = [&](const Command& one) {
    return call.args.size() == 2 ||
           std::any_of(call.args.begin() + 2, call.args.end(),
                       [&](std::string_view name) { return is_named(name, one.name); });
  };
  Writer reply = call.reply();
  const auto count = std::count_if(commands.begin(), commands.end(), wanted);
  reply.map(static_cast<std::size_t>(count));
  for (const auto& one : commands) {
    if (wanted(one)) write_docs(one, reply);
  }
}

void command(Call& call) {
  Writer reply = call.reply();
  const bool bare = call.args.size() == 1;
  if (!bare && is_named(call.args[1], "count")) {
    return reply.integer(static_cast<std::int64_t>(commands.size()));
  }
  if (!bare && is_named(call.args[1], "docs")) return command_docs(call);
  if (!bare && is_named(call.args[1], "info") && call.args.size() > 2) return command_info(call);
  const bool list = !bare && is_named(call.args[1], "list");
  if (!bare && !list && !is_named(call.args[1], "info")) return unknown_subcommand(call);
  reply.array(commands.size());
  for (const auto& one : commands) {
    if (list) {
      reply.bulk(one.name);
    } else {
      write_info(one, reply);
    }
  }
}

/// As Redis says it: the name, and the arguments up to a bound, each in quotes and with a space
/// behind.
void unknown(const Call& call) {
  std::string text = "ERR unknown command '";
  text.append(call.args[0].substr(0, most_echoed)).append("', with args beginning with: ");
  std::size_t room = most_echoed;
  for (const auto argument : call.args.subspan(1)) {
    if (room == 0) break;
    const auto shown = argument.substr(0, room);
    text.append("'").append(shown).append("' ");
    room -= shown.size();
  }
  call.reply().error(text);
}

}  // namespace

void answer(Time now, std::span<const std::string_view> arguments, Client& client,
            std::string& output) {
  Call call{.now = now, .args = arguments, .client = client, .output = output};
  const auto* found = find(arguments[0]);
  const bool open = found != nullptr && (found->answer == auth || found->answer == hello ||
                                         found->answer == quit || found->answer == reset);
  if (!open && !client.may_ask()) return call.reply().error("NOAUTH Authentication required.");
  if (found == nullptr || found->answer == nullptr) return unknown(call);
  if (!takes(*found, arguments.size())) {
    Writer reply = call.reply();
    return wrong_count(arguments[0], reply);
  }
  found->answer(call);
}

}  // namespace weir::front::resp
