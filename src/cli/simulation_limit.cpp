// SPDX-License-Identifier: Apache-2.0
// One limit, asked by key: straight through the store.
#include <fmt/format.h>

#include <array>
#include <iterator>

#include "cli/json_writer.hpp"
#include "cli/scenario.hpp"
#include "cli/simulation.hpp"
#include "cli/spelled.hpp"
#include "rules/problems.hpp"
#include "store/table.hpp"

namespace weir::cli {

namespace {

class LimitSimulation final : public Simulation {
 public:
  LimitSimulation(SimulatedStore store, Format format)
      : store_options_(std::move(store)), format_(format) {}

  std::optional<Error> answer(std::string_view line, std::string& out) override {
    if (!limit_) return take_limit(line);
    const auto event = reader_.read_event(line);
    if (!event.ok()) return Error{event.error()};
    Outcome outcome;
    decide(*event, outcome);
    if (outcome.status == Outcome::Status::unavailable) {
      return Error{fmt::format("the store at {} does not answer", *store_options_.url)};
    }
    if (outcome.status != Outcome::Status::decided) {
      return Error{fmt::format("the keys do not fit into {} bytes; give more with --memory",
                               store_options_.memory_bytes)};
    }
    if (format_ == Format::json) {
      write_json(*event, outcome.decision, out);
    } else {
      write_text(*event, outcome.decision, out);
    }
    return {};
  }

  std::optional<Error> finish() override {
    if (limit_) return {};
    return Error{
        R"(the first line has to be the limit, like {"limit": 10, "period_ns": 1000000000})"};
  }

 private:
  std::optional<Error> take_limit(std::string_view line) {
    auto read = reader_.read_limit(line);
    if (!read.ok()) return Error{read.error()};
    name_ = std::move(read->name);
    limit_.emplace(read->limit);
    const bool is_log = limit_->shape == Shape::log;
    if (is_shared()) {
      terms_.emplace(SharedTerms{.share = *limit_, .longest_state = longest_state(read->limit)});
      store_ = simulated_store({.url = *store_options_.url});
      return {};
    }
    // A key that is forgotten would be a wrong answer: what does not fit is refused.
    store_ = std::make_unique<store::Table>(store::TableOptions{
        .memory_bytes = store_options_.memory_bytes,
        .when_full = WhenFull::deny,
        .log_percent = is_log ? most_log_percent : store::TableOptions::log_percent_without_logs});
    return {};
  }

  [[nodiscard]] bool is_shared() const noexcept {
    return store_options_.url && *store_options_.url != "memory";
  }

  void decide(const LimitEvent& event, Outcome& outcome) {
    clock_.set(event.time);
    KeyBuilder key(secret_);
    key.add(event.key);
    const Op op{.key = key.key(),
                .subject = key.key(),
                .limit = &*limit_,
                .shared = terms_ ? &*terms_ : nullptr,
                .cost = event.cost,
                .verb = event.verb};
    StoreBatch batch;
    batch.now = clock_.now();
    batch.ops = {&op, 1};
    batch.outcomes = {&outcome, 1};
    store_->apply(batch);
  }

  void write_json(const LimitEvent& event, const Decision& decision, std::string& out) const {
    JsonWriter json(out);
    json.open('{').name("t").value(event.time.time_since_epoch()).name("key").value(event.key);
    if (!name_.empty()) json.name("limit").value(name_);
    json.name("cost").value(event.cost).name("allowed").value(decision.allowed);
    json.name("remaining").value(decision.remaining);
    json.name("retry_after").value(decision.retry_after);
    json.name("reset_after").value(decision.reset_after);
    json.name("delay").value(decision.delay).close('}');
    out += '\n';
  }

  void write_text(const LimitEvent& event, const Decision& decision, std::string& out) const {
    fmt::format_to(std::back_inserter(out),
                   "{}  {}  cost {}  {}  remaining {}  retry after {}  reset after {}  delay {}\n",
                   event.time.time_since_epoch().count(), rules::shown(event.key), event.cost,
                   decision.allowed ? "allowed" : "refused", decision.remaining,
                   spelled(decision.retry_after), spelled(decision.reset_after),
                   spelled(decision.delay));
  }

  static constexpr unsigned most_log_percent = 90;

  SimulatedStore store_options_;
  Format format_;
  ScenarioReader reader_;
  std::string name_;
  std::optional<CompiledLimit> limit_;
  std::optional<SharedTerms> terms_;
  std::unique_ptr<Store> store_;
  KeySecret secret_ = KeySecret::random();
  ManualClock clock_;
};

}  // namespace

std::unique_ptr<Simulation> simulate_limit(const SimulatedStore& store, Format format) {
  return std::make_unique<LimitSimulation>(store, format);
}

}  // namespace weir::cli
