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
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "table_bench_sides.hpp"
#include "table_bench_streams.hpp"
#include "table_bench_time.hpp"

namespace weir::bench {
namespace {

using namespace std::chrono_literals;

constexpr Time start{std::chrono::hours{24 * 365 * 55}};

struct Scale {
  std::uint64_t many_keys;  ///< more than any cache holds
  std::uint64_t medium_keys;
  std::size_t decisions;  ///< of each thread in a round
  int rounds;
};
constexpr Scale large{10'000'000, 1'000'000, 2'000'000, 5};
constexpr Scale small{20'000, 5'000, 10'000, 1};

std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Row {
  std::string workload;
  std::size_t threads = 1;
  double base_ns = INFINITY;  ///< stays so where the base has nothing of the kind
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
    flood(scale_.medium_keys, threads);
    flood(scale_.many_keys, threads);
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
    // Hashing is the same for both, and hides how much less a refusal is.
    rows_.push_back(hashed("one hot key, hashed, admitted", sides.table, roomy_, streams));
    rows_.push_back(hashed("one hot key, hashed, refused", refused.table, spent, streams));
  }

  /// The table alone, where the key was hashed before.
  Row hashed(std::string workload, KeyTable& table, const CompiledLimit& limit,
             std::span<const Keys> streams) {
    Row row{.workload = std::move(workload), .threads = streams.size()};
    for (int round = 0; round < scale_.rounds; ++round) {
      for (const auto& [best, batch] :
           {std::pair{&row.one_ns, std::size_t{1}}, std::pair{&row.batch_ns, batch_size}}) {
        *best = std::min(*best, time_of(streams, [&](const Keys& keys) {
          table.run_hashed(limit, keys, batch, start);
        }));
      }
    }
    return row;
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
  void flood(std::uint64_t keys, std::size_t threads) {
    const auto name = fmt::format("flood of new keys, {:.0e} held", double(keys));
    if (!wants(name)) return;
    Sides sides{.base = {}, .table = KeyTable(memory_for(keys))};
    fill(sides, keys * 4 / 3);
    Row row{.workload = name, .threads = threads};
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
  fmt::print("{:30} {:>7} {:>10} {:>14} {:>18}\n", "ns a decision", "threads", "mutex+map", "table",
             "table, batches");
  for (const Row& row : rows_) {
    if (std::isinf(row.base_ns)) {
      fmt::print("{:30} {:>7} {:>10} {:>7.1f} {:>6} {:>10.1f}\n", row.workload, row.threads, "-",
                 row.one_ns, "", row.batch_ns);
      continue;
    }
    fmt::print("{:30} {:>7} {:>10.1f} {:>7.1f} {:>5.1f}x {:>10.1f} {:>6.1f}x\n", row.workload,
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
  // Where a process has one thread, the C library's mutex spares itself the atomic instruction that
  // it needs in a server.
  std::future<void> another;
  std::promise<void> done;
  another = std::async(std::launch::async, [end = done.get_future()] { end.wait(); });
  weir::bench::Bench bench(is_small ? weir::bench::small : weir::bench::large, only);
  if (threads != 2) bench.run(1);
  if (threads != 1) bench.run(2);
  format == "json" ? bench.print_json() : bench.print_table();
}
