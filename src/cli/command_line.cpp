// SPDX-License-Identifier: Apache-2.0
// Over 300 lines: the options of all commands stand together, so that they read alike.
#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/argument_values.hpp"
#include "cli/json_writer.hpp"

namespace weir::cli {

namespace {

constexpr std::string_view about =
    "weir limits how much work one caller may cause: a rate limiter as a server, and tools for\n"
    "its configuration.";

constexpr std::string_view exit_codes = "Exit: 0 done, 1 the answer is no, 2 wrong usage.";

/// What every command's help ends with.
std::string with_examples(std::string_view examples) {
  return fmt::format("Examples:\n{}\n{}", examples, exit_codes);
}

/// The value of an argument, or the exception that CLI11 wants for what it is not.
template <typename Value>
Value taken(const std::string& option, Result<Value> value) {
  if (!value.ok()) throw CLI::ValidationError(option, value.error());
  return std::move(*value);
}

class CommandLineParser {
 public:
  CommandLineParser() : app_(std::string(about), "weir") {
    app_.require_subcommand(1);
    add_common(app_);
    app_.footer(
        with_examples("  weir serve --config weir.yaml\n"
                      "  weir check weir.yaml\n"
                      "  weir COMMAND --help"));
    add_serve();
    add_check();
    add_explain();
    add_simulate();
    add_replay();
    add_limits();
  }

  Command parse(std::vector<std::string> arguments) {
    std::ranges::reverse(arguments);  // as CLI11 takes them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForVersion&) {
      return Ended{exit_done, version(), {}};
    } catch (const CLI::CallForHelp&) {
      return Ended{exit_done, help(), {}};
    } catch (const CLI::Error& error) {
      return refusal(error);
    }
    return chosen();
  }

 private:
  void add_common(CLI::App& app) {
    const std::map<std::string, Format> formats{{"text", Format::text}, {"json", Format::json}};
    app.add_option("--format", format_, "How answers are written")
        ->transform(CLI::CheckedTransformer(formats).description(""))
        ->option_text("text|json");
    app.set_version_flag("--version", "", "Print the version");
    app.set_help_flag("-h,--help", "Print this help");
  }

  CLI::App& add_command(const std::string& name, const std::string& does) {
    CLI::App& app = *app_.add_subcommand(name, does);
    add_common(app);
    return app;
  }

  template <typename Bytes>
  static void add_memory(CLI::App& app, Bytes& bytes, const std::string& what) {
    app.add_option("--memory", bytes, what)
        ->transform(CLI::AsSizeValue(false).description(""))
        ->check(CLI::Validator(size_fault, ""))
        ->option_text("SIZE");
  }

  static void add_store(CLI::App& app, std::optional<std::string>& url) {
    app.add_option("--store", url, "Where the counters are: memory, or redis://HOST:PORT")
        ->check(CLI::Validator(store_fault, ""))
        ->option_text("URL");
  }

  void add_serve() {
    CLI::App& app = add_command("serve", "Answer requests until told to stop");
    app.add_option("--config", serve_.config_file, "The configuration")->option_text("FILE");
    const auto add_door = [&](const std::string& name, std::vector<std::string>& to) {
      app.add_option("--" + name, to, "Open the " + name + " door here (may be repeated)")
          ->allow_extra_args(false)
          ->check(CLI::Validator(endpoint_fault, ""))
          ->option_text("ADDR");
    };
    add_door("http", serve_.http);
    add_door("resp", serve_.resp);
    add_door("grpc", serve_.grpc);
    add_door("admin", serve_.admin);
    app.add_option("--state", serve_.state_file, "Keep the counters in this file over restarts")
        ->option_text("FILE");
    add_store(app, serve_.overrides.store_url);
    const std::map<std::string, OnStoreFailure> policies{{"allow", OnStoreFailure::allow},
                                                         {"deny", OnStoreFailure::deny},
                                                         {"local", OnStoreFailure::local}};
    app.add_option("--on-store-failure", serve_.overrides.on_store_failure,
                   "What answers where the store is out of reach and the file does not say")
        ->transform(CLI::CheckedTransformer(policies).description(""))
        ->option_text("allow|deny|local");
    add_memory(app, serve_.memory_bytes, "Memory for the counters");
    app.footer(
        with_examples("  weir serve                                 HTTP and RESP on loopback\n"
                      "  weir serve --config weir.yaml\n"
                      "  weir serve --config weir.yaml --http :8080 --admin 127.0.0.1:9100\n"
                      "  weir serve --store redis://127.0.0.1:6379 --on-store-failure deny\n"
                      "ADDR is host:port, :port or unix:PATH. What stands here wins over the "
                      "file."));
  }

  void add_check() {
    CLI::App& app = add_command("check", "Tell every error and warning of configuration files");
    app.add_option("FILE", check_.files, "The configurations")->required()->option_text("...");
    app.footer(
        with_examples("  weir check weir.yaml\n"
                      "  weir check --format json *.yaml"));
  }

  void add_explain() {
    CLI::App& app = add_command("explain", "Tell which rules and limits a request meets, and why");
    app.add_option("FILE", explain_.config_file, "The configuration")->required()->option_text(" ");
    add_request(app, explain_)->required();
    app.add_option("--cost", explain_.cost, "In place of the rules' costs")
        ->check(CLI::Validator(whole_number_fault, ""))
        ->option_text("UNITS");
    app.footer(
        with_examples("  weir explain weir.yaml --request 'GET /v1/x' --ip 198.18.0.1\n"
                      "  weir explain weir.yaml --request 'POST /login' --header 'x-api-key: a'\n"
                      "  weir explain weir.yaml --request 'GET /' --peer 10.0.0.5 \\\n"
                      "      --header 'x-forwarded-for: 198.18.0.1'"));
  }

  /// The options that describe a request; returns the one that it begins with.
  static CLI::Option* add_request(CLI::App& app, ExplainOptions& to) {
    auto* request = app.add_option_function<std::string>(
                           "--request",
                           [&to](const std::string& text) {
                             auto line = taken("--request", read_request_line(text));
                             to.method = std::move(line.method);
                             to.target = std::move(line.target);
                           },
                           "Method and path")
                        ->option_text("'GET /v1/x'");
    add_pairs(app, "--header", to.headers, "A header of the request (may be repeated)");
    add_pairs(app, "--entry", to.entries, "An entry that the caller names (may be repeated)");
    app.add_option("--host", to.host, "The host that the request names")->option_text("HOST");
    auto* ip = add_address(app, "--ip", to.client, "The client's own address");
    add_address(app, "--peer", to.peer, "The address of the socket")->excludes(ip);
    return request;
  }

  static void add_pairs(CLI::App& app, const std::string& name,
                        std::vector<ExplainOptions::Header>& to, const std::string& what) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [name, &to](const std::vector<std::string>& texts) {
             for (const auto& text : texts) to.push_back(taken(name, read_header(text)));
           },
           what)
        ->allow_extra_args(false)
        ->option_text("'name: value'");
  }

  static CLI::Option* add_address(CLI::App& app, const std::string& name,
                                  std::optional<rules::Address>& to, const std::string& what) {
    return app
        .add_option_function<std::string>(
            name, [name, &to](const std::string& text) { to = taken(name, read_address(text)); },
            what)
        ->option_text("ADDRESS");
  }

  void add_simulate() {
    CLI::App& app = add_command("simulate", "Decide a file of events exactly, at their own times");
    app.add_option("FILE", simulate_.input, "One JSON object a line; - reads standard input")
        ->required()
        ->option_text("or -");
    app.add_option("--config", simulate_.config_file, "Decide whole requests by this configuration")
        ->option_text("FILE");
    add_store(app, simulate_.store_url);
    add_memory(app, simulate_.memory_bytes, "Memory for the counters, without --config");
    app.footer(with_examples(
        "  weir simulate events.jsonl             the first line is the limit\n"
        "  weir simulate --config weir.yaml requests.jsonl\n"
        "  printf '%s\\n' '{\"limit\":2,\"period_ns\":1000000000}' '{\"t\":0,\"key\":\"a\"}' | "
        "weir simulate -\n"
        "Answers are JSON lines unless --format text is given."));
  }

  void add_replay() {
    CLI::App& app = add_command("replay", "Tell what a configuration would have done to a log");
    app.add_option("LOG", replay_.logs,
                   "Access logs in the combined format, also gzip; - reads standard input")
        ->required()
        ->option_text("...");
    app.add_option("--config", replay_.config_file, "The configuration")
        ->required()
        ->option_text("FILE");
    app.add_option("--top", replay_.top, "Tell so many of the most refused keys of each rule")
        ->check(CLI::Range(0, 10'000).description(""))
        ->option_text("N");
    add_memory(app, replay_.memory_bytes, "Memory for the requests of the logs (1GiB)");
    app.footer(
        with_examples("  weir replay --config weir.yaml access.log\n"
                      "  weir replay --config weir.yaml access.log.2.gz access.log.1\n"
                      "  weir replay --config weir.yaml --format json - < access.log"));
  }

  void add_limits() {
    CLI::App& app = add_command("limits", "Read and mend single counters of a shared store");
    const std::map<std::string, LimitsOptions::Action> actions{
        {"get", LimitsOptions::Action::get},
        {"reset", LimitsOptions::Action::reset},
        {"set", LimitsOptions::Action::set}};
    app.add_option("ACTION", limits_.action, "get; reset: as if nothing was used; set: --used")
        ->required()
        ->transform(CLI::CheckedTransformer(actions).description(""))
        ->option_text("get|reset|set");
    app.add_option("FILE", limits_.request.config_file, "The configuration")
        ->required()
        ->option_text(" ");
    auto* limit = app.add_option("--limit", limits_.limit, "The named limit that is meant")
                      ->option_text("NAME");
    app.add_option("--key", limits_.key, "The parts of its key (may be repeated)")
        ->allow_extra_args(false)
        ->option_text("PART");
    add_request(app, limits_.request)->excludes(limit);
    app.add_option("--used", limits_.used, "With set: the units that are used")
        ->check(CLI::Validator(whole_number_fault, ""))
        ->option_text("UNITS");
    app.footer(
        with_examples("  weir limits get weir.yaml --limit api --key user-1\n"
                      "  weir limits get weir.yaml --request 'GET /v1/x' --header 'x-api-key: a'\n"
                      "  weir limits reset weir.yaml --limit api --key user-1\n"
                      "  weir limits set weir.yaml --limit api --key user-1 --used 40\n"
                      "Without --request the counter is that of --limit. Keys are told as "
                      "redis-cli reads them."));
  }

  CLI::App& asked() {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
  }

  std::string help() {
    auto& app = asked();
    return app.help(&app == &app_ ? "" : "weir");
  }

  std::string version() const {
    if (format_ != Format::json) return "weir " WEIR_VERSION "\n";
    std::string out;
    JsonWriter(out).open('{').name("version").value(WEIR_VERSION).close('}');
    return out + "\n";
  }

  Command chosen() {
    const auto name = asked().get_name();
    if (name == "serve") return with_format(serve_);
    if (name == "check") return with_format(check_);
    if (name == "explain") return with_format(explain_);
    if (name == "simulate") return with_format(simulate_);
    if (name == "limits") return with_format(limits_);
    return with_format(replay_);
  }

  template <typename Options>
  Options with_format(Options options) const {
    options.format = format_.value_or(options.format);
    return options;
  }

  Ended refusal(const CLI::Error& error) {
    const CLI::App& app = asked();
    const std::string program = &app == &app_ ? "weir" : "weir " + app.get_name();
    return {exit_usage,
            {},
            fmt::format("{}: {}\nRun '{} --help' for how it is used.\n", program,
                        what_is_wrong(app, error), program)};
  }

  std::string what_is_wrong(const CLI::App& app, const CLI::Error& error) const {
    const auto extras = app.remaining();
    if (extras.empty() && &app == &app_ && error.get_name() == "RequiredError") {
      return fmt::format("a command is missing: {}", fmt::join(command_names(app), ", "));
    }
    if (extras.empty()) return error.what();
    const auto word = extras.front().substr(0, extras.front().find('='));
    if (word.starts_with('-')) return tell_unknown({"option", word, "--"}, option_names(app));
    if (&app != &app_) return tell_unknown({"argument", word, ""}, {});
    return tell_unknown({"command", word, ""}, command_names(app));
  }

  static std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* option : app.get_options()) {
      for (const auto& name : option->get_lnames()) names.push_back(name);
    }
    return names;
  }

  static std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    return names;
  }

  CLI::App app_;
  std::optional<Format> format_;
  ServeOptions serve_;
  CheckOptions check_;
  ExplainOptions explain_;
  SimulateOptions simulate_;
  ReplayOptions replay_;
  LimitsOptions limits_;
};

}  // namespace

Command parse_command_line(std::vector<std::string> arguments) {
  return CommandLineParser().parse(std::move(arguments));
}

}  // namespace weir::cli
