// SPDX-License-Identifier: Apache-2.0
// What a shared decision costs: the processor time of Redis, its memory, and weir's own processor
// time. Beside the textbook script, a hash read by HMGET and written by HSET and PEXPIRE.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <charconv>
#include <functional>
#include <map>

#include "redis/blocking_connection_support.hpp"
#include "redis/codec.hpp"
#include "redis/server_test_support.hpp"
#include "redis/store.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;
using redis::BlockingConnection;
using redis::Codec;
using redis::Exchange;

constexpr std::uint32_t depth = 128;

constexpr std::string_view textbook = R"lua(
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'last')
local rate, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local now, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
local tokens = tonumber(bucket[1]) or capacity
local last = tonumber(bucket[2]) or now
tokens = math.min(capacity, tokens + math.max(0, now - last) * rate)
local allowed = tokens >= cost
if allowed then tokens = tokens - cost end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'last', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(capacity / rate / 1000))
return {allowed and 1 or 0, math.floor(tokens)}
)lua";

struct Size {
  std::uint64_t keys = 10'000;     ///< among which decisions are spread
  int slices = 7;                  ///< of each case; the least counts
  int rounds = 150;                ///< of `depth` decisions in a slice
  std::uint64_t kept = 1'000'000;  ///< keys whose memory is measured
  int own_decisions = 400'000;     ///< for weir's own time
};

Key key_of(std::uint64_t number) {
  KeyBuilder builder({1, 2});
  builder.add(number);
  return builder.key();
}

/// A number of `INFO`.
double info(BlockingConnection& connection, std::string_view section, const std::string& name) {
  const std::string text = connection.ask({"INFO", section});
  const auto at = text.find("\n" + name + ":");
  double value = 0;
  if (at != text.npos) {
    std::from_chars(text.data() + at + name.size() + 2, text.data() + text.size(), value);
  }
  return value;
}

double redis_cpu_us(BlockingConnection& connection) {
  return 1e6 * (info(connection, "cpu", "used_cpu_user_main_thread") +
                info(connection, "cpu", "used_cpu_sys_main_thread"));
}

double own_cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return 1e6 * double(time.tv_sec) + double(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

/// The limits of one request, as the engine would ask them.
struct Case {
  std::string name;
  std::vector<CompiledLimit> limits;
  std::uint64_t salt = 0;
  SharedTerms terms{.share = CompiledLimit(token_bucket(1, 1s))};

  Case(std::string name_in, const std::vector<Limit>& limits_in)
      : name(std::move(name_in)), limits(limits_in.begin(), limits_in.end()) {
    static std::uint64_t cases = 0;
    salt = ++cases << 40;
    if (limits.size() > 1) terms.pack = key_of(salt);
    terms.longest_state = 60s;
  }

  [[nodiscard]] std::vector<Op> ops(std::uint64_t subject) const {
    std::vector<Op> made;
    for (const auto& limit : limits) {
      made.push_back({.key = key_of(salt + subject * 16 + made.size()),
                      .subject = key_of(subject),
                      .limit = &limit,
                      .shared = &terms});
    }
    return made;
  }
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.emplace_back("token bucket", std::vector{token_bucket(1'000'000, 1s)});
  all.emplace_back("token bucket, 3 a second",
                   std::vector{token_bucket(3, 1s).with_burst(1'000'000)});
  all.emplace_back("leaky queue", std::vector{leaky_queue(1'000'000, 1s)});
  all.emplace_back("fixed window", std::vector{fixed_window(1'000'000, 60s)});
  all.emplace_back("sliding counter", std::vector{sliding_counter(1'000'000, 60s)});
  all.emplace_back("sliding log of 100", std::vector{sliding_log(100, 1s)});
  all.emplace_back("3 limits in one key",
                   std::vector{token_bucket(1'000'000, 1s), fixed_window(1'000'000, 60s),
                               sliding_counter(1'000'000, 60s)});
  return all;
}

/// Limits whose states are not over while the others' are made.
std::vector<Case> lasting_cases() {
  std::vector<Case> all;
  all.emplace_back("token bucket", std::vector{token_bucket(1000, 24h)});
  all.emplace_back("token bucket, 7 a minute",
                   std::vector{token_bucket(7, 60s).with_burst(10'000)});
  all.emplace_back("leaky queue", std::vector{leaky_queue(1000, 24h)});
  all.emplace_back("fixed window", std::vector{fixed_window(1000, 30 * 24h)});
  all.emplace_back("sliding counter", std::vector{sliding_counter(1000, 24h)});
  all.emplace_back("sliding log, 1 instant", std::vector{sliding_log(100, 24h)});
  all.emplace_back("3 limits in one key",
                   std::vector{token_bucket(1000, 24h), fixed_window(1000, 30 * 24h),
                               sliding_counter(1000, 24h)});
  return all;
}

using Fill = std::function<void(std::uint64_t number, Exchange& exchange)>;

Fill textbook_fill(const std::string& sha) {
  return
      [sha, command = redis::CommandBuilder()](std::uint64_t subject, Exchange& exchange) mutable {
        command.add_all(std::string_view("EVALSHA"), std::string_view(sha), std::string_view("1"),
                        "textbook:" + std::to_string(subject), std::string_view("1"), 1'000'000,
                        1'790'000'000'000'000 + subject, 1);
        command.finish(exchange);
      };
}

Fill case_fill(const Case& one, Codec& codec, const Time& now) {
  return [&](std::uint64_t subject, Exchange& exchange) {
    codec.ask(redis::store_time(now), one.ops(subject), exchange);
  };
}

/// Microseconds of Redis for a decision.
double slice(BlockingConnection& connection, const Size& size, const Fill& fill) {
  static std::uint64_t number = 0;
  std::vector<Exchange> exchanges(static_cast<std::size_t>(size.rounds));
  for (Exchange& exchange : exchanges) {
    for (std::uint32_t i = 0; i < depth; ++i) fill(number++ % size.keys, exchange);
    exchange.on_reply = [](Exchange&, std::size_t, const wire::resp::Reply& reply) noexcept {
      if (reply.is_error()) std::abort();
    };
  }
  const double before = redis_cpu_us(connection);
  for (Exchange& exchange : exchanges) connection.run(exchange);
  return (redis_cpu_us(connection) - before) / (size.rounds * double{depth});
}

void measure_cpu(BlockingConnection& connection, const Size& size) {
  Codec codec("w:");
  const std::string sha = connection.ask({"SCRIPT", "LOAD", textbook});
  Time now = SteadyClock::shared().now();
  const std::vector<Case> all = cases();
  std::map<std::string, double> least;
  for (int turn = 0; turn < size.slices; ++turn) {
    const auto measure = [&](const std::string& name, const Fill& fill) {
      const double us = slice(connection, size, fill);
      const auto [known, is_new] = least.emplace(name, us);
      if (!is_new) known->second = std::min(known->second, us);
    };
    measure("textbook", textbook_fill(sha));
    for (const Case& one : all) measure(one.name, case_fill(one, codec, now));
    now += 100ms;
  }
  fmt::print("redis, us of its processor for a decision at depth {} (of the textbook script's)\n",
             depth);
  for (const auto& [name, us] : least) {
    fmt::print("  {:<26} {:6.2f}  {:5.2f}\n", name, us, us / least["textbook"]);
  }
}

void measure_memory(BlockingConnection& connection, const Size& size) {
  fmt::print("redis, bytes for a key of {}\n", size.kept);
  Codec codec("w:");
  const Time now = SteadyClock::shared().now();
  for (const Case& one : lasting_cases()) {
    connection.ask({"FLUSHALL"});
    const double before = info(connection, "memory", "used_memory");
    for (std::uint64_t subject = 0; subject < size.kept;) {
      Exchange exchange;
      exchange.on_reply = [](Exchange&, std::size_t, const wire::resp::Reply&) noexcept {};
      for (std::uint32_t i = 0; i < depth; ++i) {
        codec.ask(redis::store_time(now), one.ops(subject++), exchange);
      }
      connection.run(exchange);
    }
    const double used = info(connection, "memory", "used_memory") - before;
    fmt::print("  {:<26} {:6.1f}\n", one.name, used / double(size.kept));
  }
}

/// A loop that asks batches of `depth` requests, one after the other.
struct Asker : StoreBatch {
  redis::RedisStore& store;
  const Case& limits;
  int left;
  std::uint64_t subject = 0;
  std::vector<Op> all;
  std::vector<Outcome> results;

  Asker(redis::RedisStore& store_in, const Case& limits_in, int decisions)
      : store(store_in), limits(limits_in), left(decisions) {
    for (std::uint32_t request = 0; request < depth; ++request) {
      for (Op op : limits.ops(request * 7919 % 10'000)) {
        op.request = request;
        all.push_back(op);
      }
    }
    results.resize(all.size());
    ops = all;
    outcomes = results;
    on_complete = [](StoreBatch& batch) noexcept { static_cast<Asker&>(batch).go_on(); };
  }

  void go_on() {
    if (left <= 0) return;
    left -= static_cast<int>(depth);
    now = SteadyClock::shared().now();
    store.apply(*this);
  }
};

void measure_own(const redis::TestServer& server, const Size& size) {
  redis::Options options = redis::parse_url("unix://" + server.socket()).value();
  options.timeout = 5s;
  options.deny_cache = {};  // every decision is asked
  fmt::print("weir, us of its processor for a decision, {} asked at once\n", depth);
  for (const Case& one : cases()) {
    redis::RedisStore store(options, SteadyClock::shared());
    boost::asio::io_context io;
    Asker asker(store, one, size.own_decisions);
    const auto part = store.attach(io);  // ends before the asker: what is unanswered goes to it
    asker.go_on();
    const double before = own_cpu_us();
    while (asker.left > 0 && io.run_one() > 0) continue;
    fmt::print("  {:<26} {:6.2f}\n", one.name, (own_cpu_us() - before) / size.own_decisions);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What a shared decision costs"};
  bool small = false;
  app.add_flag("--small", small, "Only see that it runs");
  CLI11_PARSE(app, argc, argv);
  Size size;
  if (small) size = {.keys = 1000, .slices = 1, .rounds = 4, .kept = 12'800, .own_decisions = 2000};
  const redis::TestServer server;
  BlockingConnection connection(server.socket());
  measure_cpu(connection, size);
  measure_memory(connection, size);
  measure_own(server, size);
}
