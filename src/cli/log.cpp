// SPDX-License-Identifier: Apache-2.0
#include "cli/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "front/json_string.hpp"

namespace weir::cli {

namespace {

using spdlog::details::log_msg;

/// `warning: ` or `error: ` where it is one; what merely happens is told as it is.
class Severity final : public spdlog::custom_flag_formatter {
 public:
  void format(const log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    const std::string_view text = message.level == spdlog::level::warn  ? "warning: "
                                  : message.level >= spdlog::level::err ? "error: "
                                                                        : "";
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<Severity>();
  }
};

/// The message as a JSON string.
class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
    std::string text;
    front::append_json_string({message.payload.data(), message.payload.size()}, text);
    out.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMessage>();
  }
};

}  // namespace

void log_to_stderr(Format format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<Severity>('S').add_flag<JsonMessage>('J');
  formatter->set_pattern(format == Format::json
                             ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l","message":%J})"
                             : "weir: %S%v");
  auto log = spdlog::create<spdlog::sinks::stderr_sink_mt>("weir");
  log->set_formatter(std::move(formatter));
  spdlog::set_default_logger(std::move(log));
}

}  // namespace weir::cli
