// SPDX-License-Identifier: Apache-2.0
// HTTP from anybody, through to the answers: they are the same however the bytes are cut. The first
// byte of an input says where to cut the rest.
#include <algorithm>
#include <memory>
#include <string>

#include "front/http/door.hpp"
#include "fuzz.hpp"
#include "rules/config.hpp"
#include "store/table.hpp"

using namespace weir;
using fuzz::require;

namespace {

constexpr std::string_view config = R"(
limits: {api: 3/h}
rules:
  - {name: all, key: ["header:x-api-key | ip", path], limits: [5/min fixed_window]}
)";

struct Ready final : front::StatusSource {
  [[nodiscard]] std::optional<std::string> why_not_ready() const override { return {}; }
  [[nodiscard]] front::Metrics metrics() const override { return {}; }
};

struct NoWaker final : front::Waker {
  void wake() noexcept override {}
};

/// A server without sockets, in which nothing has happened yet.
struct World {
  World() {
    static const auto loaded = rules::parse_config(config, "fuzz.yaml");
    engine = std::make_unique<limiter::Engine>(loaded.config.value().rules, table, KeySecret{1, 2});
    sessions = front::make_http_sessions({*engine, source, headers, latency}, clock);
  }

  ManualClock clock{Time{std::chrono::seconds{1'700'000'000}}};
  store::Table table{{.memory_bytes = store::TableOptions::least_memory_bytes}};
  Ready source;
  front::LiveHeaderConfig headers;
  front::LatencyBook latency;
  std::unique_ptr<limiter::Engine> engine;
  std::unique_ptr<front::SessionFactory> sessions;
};

/// What a connection is answered that sends `bytes` in pieces.
std::string answers(std::string_view bytes, std::size_t piece) {
  using Next = front::Progress::Next;
  World world;
  NoWaker waker;
  const auto session = world.sessions->make({.address = {}, .waker = &waker});
  std::string input, output;
  auto next = Next::read;
  while (!bytes.empty() && next != Next::close) {
    input += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
    do {
      const auto progress = session->on_bytes(world.clock.now(), input, output);
      require(progress.eaten <= input.size() && progress.next != Next::wait);
      input.erase(0, progress.eaten);
      next = progress.next;
    } while (next == Next::again);
    require(next == Next::close || input.size() <= world.sessions->most_input_bytes());
  }
  session->on_close(world.clock.now());
  return output;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // With an end to the head: what is wrong in half a head may be told at once or at its end.
  const auto bytes = std::string(fuzz::text_of(data, size).substr(1)) + "\r\n\r\n";
  const auto whole = answers(bytes, bytes.size());
  const auto pieces = answers(bytes, std::size_t{data[0]} + 1);
  // The page of metrics tells how many turns there were.
  require(whole == pieces || bytes.find("metrics") != bytes.npos);
  return 0;
}
