// SPDX-License-Identifier: Apache-2.0
#include "cli/limits.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/asked_request.hpp"
#include "cli/config_file.hpp"
#include "cli/json_writer.hpp"
#include "cli/spelled.hpp"
#include "cli/store_options.hpp"
#include "limiter/engine.hpp"
#include "limiter/routed_store.hpp"
#include "redis/blocking_store.hpp"
#include "redis/key_name.hpp"

namespace weir::cli {

namespace {

/// A key as `redis-cli` writes and reads it.
std::string escaped(std::string_view key) {
  std::string text = "\"";
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", byte);
    }
  }
  return text + '"';
}

/// The counters of a configuration's shared stores.
class Counters {
 public:
  explicit Counters(const rules::Config& config)
      : table_(table_options(config)),
        stores_(stores_of(config)),
        routed_(table_, sites()),
        engine_(config.rules, routed_, shared_secret(config.stores).value_or(KeySecret::random())),
        batch_(engine_) {
    for (const auto& store : config.stores) prefixes_.push_back(options_of(store).key_prefix);
  }

  /// Chooses the counters; what is wrong with the choice.
  std::optional<Error> choose(const LimitsOptions& options) {
    batch_.clear(clock_.now());
    if (!options.request.method.empty()) {
      const AskedRequest request(options.request);
      index_ = batch_.add_request(request.get(), Verb::peek);
    } else {
      const auto* limit = batch_.rules().named_limit(options.limit);
      if (limit == nullptr) return Error{fmt::format("no limit is named '{}'", options.limit)};
      const std::vector<std::string_view> key(options.key.begin(), options.key.end());
      index_ = batch_.add_named(*limit, key, 1, Verb::peek);
    }
    for (const Op& op : batch_.ops()) {
      if (op.shared == nullptr) {
        return Error{
            "the counters are in the memory of each instance: ask a running one, by "
            "POST /v1/check with the verb 'peek', 'debit' or 'refund'"};
      }
    }
    ops_.assign(batch_.ops().begin(), batch_.ops().end());
    return ops_.empty() ? std::optional(Error{"the request meets no limit"}) : std::nullopt;
  }

  /// False where a store does not answer.
  [[nodiscard]] bool read() {
    batch_.decide();
    return std::ranges::all_of(batch_.verdict(index_).hits, [](const auto& hit) {
      return hit.outcome.status == Outcome::Status::decided;
    });
  }
  [[nodiscard]] bool forget() {
    return std::ranges::all_of(
        ops_, [this](const Op& op) { return store_of(op).forget(clock_.now(), op); });
  }
  [[nodiscard]] bool use(std::uint64_t units) {
    for (Op& op : ops_) {
      op.verb = Verb::debit;
      op.cost = units;
    }
    std::vector<Outcome> outcomes(ops_.size());
    StoreBatch batch;
    batch.now = clock_.now();
    batch.ops = ops_;
    batch.outcomes = outcomes;
    routed_.apply(batch);
    return std::ranges::all_of(outcomes, [](const Outcome& outcome) {
      return outcome.status == Outcome::Status::decided;
    });
  }

  [[nodiscard]] std::span<const limiter::HitVerdict> hits() const {
    return batch_.verdict(index_).hits;
  }
  [[nodiscard]] std::string key_of(std::size_t at) const {
    const Op& op = ops_[at];
    return escaped(redis::key_name(prefixes_[op.shared->store], op, batch_.now()).view());
  }

 private:
  using Stores = std::vector<std::unique_ptr<redis::BlockingStore>>;

  static Stores stores_of(const rules::Config& config) {
    Stores stores;
    for (const auto& store : config.stores) {
      auto options = options_of(store);
      options.deny_cache = Duration::zero();  // as it stands, not as it was known to stand
      stores.push_back(
          std::make_unique<redis::BlockingStore>(std::move(options), SteadyClock::shared()));
    }
    return stores;
  }

  [[nodiscard]] std::vector<limiter::SharedSite> sites() const {
    std::vector<limiter::SharedSite> sites;
    for (const auto& store : stores_) sites.push_back({.store = store.get(), .on_change = {}});
    return sites;
  }

  [[nodiscard]] redis::BlockingStore& store_of(const Op& op) const {
    return *stores_[op.shared->store];
  }

  const Clock& clock_ = SteadyClock::shared();
  store::Table table_;
  Stores stores_;
  limiter::RoutedStore routed_;
  limiter::Engine engine_;
  limiter::Batch batch_;
  limiter::Batch::Index index_ = 0;
  std::vector<Op> ops_;
  std::vector<std::string> prefixes_;
};

void tell(const Counters& counters, Format format, std::ostream& out) {
  for (std::size_t at = 0; at < counters.hits().size(); ++at) {
    const auto& hit = counters.hits()[at];
    const Decision& decision = hit.outcome.decision;
    if (format == Format::json) {
      std::string line;
      JsonWriter json(line);
      json.open('{').name("rule").value(hit.limit->rule).name("limit").value(hit.limit->name);
      json.name("key").value(counters.key_of(at)).name("capacity").value(decision.capacity);
      json.name("remaining").value(decision.remaining);
      json.name("reset_after").value(decision.reset_after).close('}');
      out << line << '\n';
      continue;
    }
    fmt::print(out, "{}{}{}: {} of {} left, full again in {}; key {}\n", hit.limit->rule,
               hit.limit->rule.empty() ? "" : ": ", hit.limit->name, decision.remaining,
               decision.capacity, spelled(decision.reset_after), counters.key_of(at));
  }
}

}  // namespace

int limits(const LimitsOptions& options, const Streams& streams) {
  const auto config = load_or_tell(options.request.config_file, streams.err);
  if (!config) return exit_no;
  Counters counters(*config);
  if (const auto problem = counters.choose(options)) {
    streams.err << problem->message << '\n';
    return exit_no;
  }
  using Action = LimitsOptions::Action;
  const bool done = (options.action == Action::get || counters.forget()) &&
                    (options.action != Action::set || counters.use(options.used)) &&
                    !counters.choose(options) &&  // anew, for time has gone on
                    counters.read();
  if (!done) {
    streams.err << "the store does not answer\n";
    return exit_no;
  }
  tell(counters, options.format, streams.out);
  return exit_done;
}

}  // namespace weir::cli
