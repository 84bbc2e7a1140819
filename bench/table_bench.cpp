// SPDX-License-Identifier: Apache-2.0
// How fast the key table decides, and how much memory a key takes, beside a named base in the same
// run: 256 mutexes over std::unordered_map<std::string, state> with the same arithmetic.
//
// Each figure is the best of several rounds, in which the sides take turns, so that what else the
// machine does weighs on all of them alike. Compare ratios; absolute times are this machine's.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "table_bench_sides.hpp"

namespace weir::bench {
namespace {

using namespace std::chrono_literals;
using Keys = std::vector<KeyText>;

constexpr Time start{std::chrono::hours{24 * 365 * 55}};

struct Scale {
  std::uint64_t many_keys;  ///< more than any cache holds
  std::uint64_t medium_keys;
  std::size_t decisions;  ///< of each thread in a round
  int rounds;
};
constexpr Scale large{10'000'000, 1'000'000, 2'000'000, 5};
constexpr Scale small{20'000, 5'000, 10'000, 1};

KeyText text_of(std::uint64_t number) {
  KeyText key;
  const auto end = fmt::format_to_n(key.bytes.data(), key.bytes.size(),
                                    "tenant:{:08d}|route:/v1/messages", number);
  key.size = static_cast<std::uint8_t>(end.size);
  return key;
}

/// Draws key numbers below `keys`, all alike.
Keys uniform(std::uint64_t keys, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint64_t> number(0, keys - 1);
  Keys stream(count);
  for (auto& key : stream) key = text_of(number(random));
  return stream;
}

/// Draws key numbers by Zipf's law with exponent 0.99 (J. Gray et al., 1994).
Keys zipf(std::uint64_t keys, std::size_t count, std::uint64_t seed) {
  constexpr double theta = 0.99;
  double zeta = 0;
  for (std::uint64_t rank = 1; rank <= keys; ++rank) zeta += std::pow(double(rank), -theta);
  const double two = 1 + std::pow(0.5, theta);
  const double eta = (1 - std::pow(2.0 / double(keys), 1 - theta)) / (1 - two / zeta);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit;
  Keys stream(count);
  for (auto& key : stream) {
    const double u = unit(random);
    const double tail = double(keys) * std::pow(eta * u - eta + 1, 1 / (1 - theta));
    const double rank = u * zeta < 1 ? 0 : u * zeta < two ? 1 : tail;
    // Neighbours in rank are no neighbours in number.
    key = text_of(std::min(std::uint64_t(rank), keys - 1) * 7'919 % keys);
  }
  return stream;
}

Keys in_order(std::uint64_t first, std::size_t count) {
  Keys stream(count);
  for (std::size_t at = 0; at < count; ++at) stream[at] = text_of(first + at);
  return stream;
}

std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double thread_cpu_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

/// Nanoseconds a decision, over the decisions of all threads. The threads' processor time is taken,
/// so that what else runs on the machine counts less; a mutex is spared the time that it sleeps.
template <typename Run>
double time_of(std::span<const Keys> streams, Run run) {
  std::vector<double> took(streams.size());
  const auto timed = [&](std::size_t thread) {
    const double from = thread_cpu_ns();
    run(streams[thread]);
    took[thread] = thread_cpu_ns() - from;
  };
  std::vector<std::thread> others;
  for (std::size_t thread = 1; thread < streams.size(); ++thread)
    others.emplace_back(timed, thread);
  timed(0);
  for (auto& thread : others) thread.join();
  return *std::max_element(took.begin(), took.end()) / double(streams.size() * streams[0].size());
}

struct Row {
  std::string workload;
  std::size_t threads = 1;
  double base_ns = INFINITY;
  double one_ns = INFINITY;
  double batch_ns = INFINITY;
};

struct Sides {
  MutexMap base;
  KeyTable table;
};

/// Lets the sides take turns. Both stand as they were left: what each round needs is in `streams`.
Row measure(std::string workload, Sides& sides, const CompiledLimit& limit,
            std::span<const Keys> streams, int rounds) {
  Row row{.workload = std::move(workload), .threads = streams.size()};
  for (int round = 0; round < rounds; ++round) {
    row.base_ns = std::min(
        row.base_ns, time_of(streams, [&](const Keys& k) { sides.base.run(limit, k, start); }));
    row.one_ns = std::min(row.one_ns, time_of(streams, [&](const Keys& k) {
                            sides.table.run_one_by_one(limit, k, start);
                          }));
    row.batch_ns = std::min(row.batch_ns, time_of(streams, [&](const Keys& k) {
                              sides.table.run_in_batches(limit, k, start);
                            }));
  }
  return row;
}

std::size_t memory_for(std::uint64_t keys) {
  const double load = 0.75;
  return std::max(store::TableOptions::least_memory_bytes,
                  std::size_t(double(keys) / load * 16 / 0.99));
}

class Bench {
 public:
  Bench(const Scale& scale, std::string only) : scale_(scale), only_(std::move(only)) {}

  void run(std::size_t threads) {
    hot_key(threads);
    spread(1'000, threads, uniform, "1e3 keys");
    spread(scale_.medium_keys, threads, uniform,
           fmt::format("{:.0e} keys", double(scale_.medium_keys)));
    spread(scale_.many_keys, threads, uniform,
           fmt::format("{:.0e} keys", double(scale_.many_keys)));
    spread(scale_.many_keys, threads, zipf,
           fmt::format("{:.0e} keys, zipf .99", double(scale_.many_keys)));
    flood(threads);
  }

  void print_table() const;
  void print_json() const;

 private:
  using Draw = Keys (*)(std::uint64_t keys, std::size_t count, std::uint64_t seed);

  void hot_key(std::size_t threads) {
    if (!wants("one hot key")) return;
    const std::vector<Keys> streams(threads, Keys(scale_.decisions, text_of(1)));
    Sides sides{.base = {}, .table = KeyTable(memory_for(1000))};
    rows_.push_back(measure("one hot key, admitted", sides, roomy_, streams, scale_.rounds));
    const CompiledLimit spent(token_bucket(1, 24h * 365));
    Sides refused{.base = {}, .table = KeyTable(memory_for(1000))};
    rows_.push_back(measure("one hot key, refused", refused, spent, streams, scale_.rounds));
  }

  void spread(std::uint64_t keys, std::size_t threads, Draw draw, std::string name) {
    if (!wants(name)) return;
    Sides sides{.base = {}, .table = KeyTable(memory_for(keys))};
    fill(sides, keys);
    std::vector<Keys> streams;
    for (std::size_t t = 0; t < threads; ++t)
      streams.push_back(draw(keys, scale_.decisions, t + 1));
    rows_.push_back(measure(std::move(name), sides, roomy_, streams, scale_.rounds));
  }

  /// Every key is new, and the table is full of keys that all still owe something.
  void flood(std::size_t threads) {
    if (!wants("flood of new keys")) return;
    Sides sides{.base = {}, .table = KeyTable(memory_for(scale_.medium_keys))};
    fill(sides, scale_.medium_keys * 4 / 3);
    Row row{.workload = "flood of new keys", .threads = threads};
    std::uint64_t next = 1'000'000'000;
    const auto fresh = [&] {
      std::vector<Keys> streams;
      for (std::size_t t = 0; t < threads; ++t, next += scale_.decisions) {
        streams.push_back(in_order(next, scale_.decisions));
      }
      return streams;
    };
    const auto run = [&](double& best, auto side) {
      const auto streams = fresh();
      const auto before = resident_bytes();
      best = std::min(best, time_of(streams, side));
      return static_cast<std::int64_t>(resident_bytes()) - static_cast<std::int64_t>(before);
    };
    for (int round = 0; round < scale_.rounds; ++round) {
      base_growth_ += run(row.base_ns, [&](const Keys& k) { sides.base.run(roomy_, k, start); });
      table_growth_ +=
          run(row.one_ns, [&](const Keys& k) { sides.table.run_one_by_one(roomy_, k, start); });
      table_growth_ +=
          run(row.batch_ns, [&](const Keys& k) { sides.table.run_in_batches(roomy_, k, start); });
    }
    rows_.push_back(row);
  }

  /// Each key is asked once, so that it is there. Tells what the largest fill took.
  void fill(Sides& sides, std::uint64_t keys) {
    const std::size_t at_once = 100'000;
    const auto each = [&](auto side) {
      const auto before = resident_bytes();
      for (std::uint64_t first = 0; first < keys; first += at_once) {
        side(in_order(first, std::min<std::size_t>(at_once, keys - first)));
      }
      return double(resident_bytes() - before) / double(keys);
    };
    const double base = each([&](const Keys& k) { sides.base.run(roomy_, k, start); });
    const double table = each([&](const Keys& k) { sides.table.run_in_batches(roomy_, k, start); });
    if (keys == scale_.many_keys && !bytes_of_key_) bytes_of_key_ = {base, table};
  }

  [[nodiscard]] bool wants(std::string_view name) const { return name.starts_with(only_); }

  const Scale scale_;
  const std::string only_;
  // So roomy that nothing is refused, and every key that was asked once owes something.
  const CompiledLimit roomy_{token_bucket(1000, 1s).with_burst(1'000'000'000)};
  std::vector<Row> rows_;
  std::optional<std::pair<double, double>> bytes_of_key_;
  std::int64_t base_growth_ = 0;
  std::int64_t table_growth_ = 0;
};

void Bench::print_table() const {
  fmt::print("{:28} {:>7} {:>10} {:>14} {:>18}\n", "ns a decision", "threads", "mutex+map", "table",
             "table, batches");
  for (const Row& row : rows_) {
    fmt::print("{:28} {:>7} {:>10.1f} {:>7.1f} {:>5.1f}x {:>10.1f} {:>6.1f}x\n", row.workload,
               row.threads, row.base_ns, row.one_ns, row.base_ns / row.one_ns, row.batch_ns,
               row.base_ns / row.batch_ns);
  }
  const auto [base, table] = bytes_of_key_.value_or(std::pair{0.0, 0.0});
  fmt::print("resident bytes a key: mutex+map {:.1f}, table at 75% load {:.1f}\n", base, table);
  fmt::print("growth in the floods: mutex+map {:.1f} MiB, table {:.1f} MiB\n",
             double(base_growth_) / 1048576, double(table_growth_) / 1048576);
}

void Bench::print_json() const {
  fmt::print("{{\"rows\": [");
  const char* separator = "";
  for (const Row& row : rows_) {
    fmt::print(
        "{}\n  {{\"workload\": \"{}\", \"threads\": {}, \"base_ns\": {:.2f}, "
        "\"table_ns\": {:.2f}, \"table_batch_ns\": {:.2f}}}",
        separator, row.workload, row.threads, row.base_ns, row.one_ns, row.batch_ns);
    separator = ",";
  }
  const auto [base, table] = bytes_of_key_.value_or(std::pair{0.0, 0.0});
  fmt::print(
      "],\n \"base_bytes_a_key\": {:.2f}, \"table_bytes_a_key\": {:.2f}, "
      "\"base_flood_growth_bytes\": {}, \"table_flood_growth_bytes\": {}}}\n",
      base, table, base_growth_, table_growth_);
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  CLI::App app("Decisions of the key table beside a mutex over std::unordered_map");
  bool is_small = false;
  std::string format = "text";
  std::size_t threads = 0;
  std::string only;
  app.add_flag("--small", is_small, "a quick run whose figures mean nothing");
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--threads", threads, "1 or 2; both unless given")->check(CLI::Range(1, 2));
  app.add_option("--only", only, "rows whose name begins so");
  CLI11_PARSE(app, argc, argv);
  weir::bench::Bench bench(is_small ? weir::bench::small : weir::bench::large, only);
  if (threads != 2) bench.run(1);
  if (threads != 1) bench.run(2);
  format == "json" ? bench.print_json() : bench.print_table();
}
