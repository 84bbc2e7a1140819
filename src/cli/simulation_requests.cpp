// SPDX-License-Identifier: Apache-2.0
// Whole requests against a configuration: through the engine, rendered as the HTTP door would.
#include <fmt/format.h>

#include <iterator>

#include "cli/config_file.hpp"
#include "cli/json_writer.hpp"
#include "cli/scenario.hpp"
#include "cli/simulation.hpp"
#include "cli/spelled.hpp"
#include "front/headers.hpp"
#include "limiter/engine.hpp"
#include "limiter/routed_store.hpp"
#include "store/table.hpp"

namespace weir::cli {

namespace {

void write_numbers(const Decision& decision, Duration delay, JsonWriter& json) {
  json.name("remaining").value(decision.remaining);
  json.name("retry_after").value(decision.retry_after);
  json.name("reset_after").value(decision.reset_after);
  json.name("delay").value(delay);
}

void write_no_numbers(JsonWriter& json) {
  for (const auto* name : {"remaining", "retry_after", "reset_after", "delay"})
    json.name(name).null();
}

void write_hit(const limiter::HitVerdict& hit, JsonWriter& json) {
  json.open('{').name("rule").value(hit.limit->rule).name("limit").value(hit.limit->name);
  json.name("cost").value(hit.cost).name("shadow").value(hit.limit->shadow);
  json.name("allowed").value(hit.outcome.decision.allowed);
  if (hit.outcome.status == Outcome::Status::decided) {
    write_numbers(hit.outcome.decision, hit.outcome.decision.delay, json);
  } else {
    write_no_numbers(json);
  }
  json.close('}');
}

class RequestSimulation final : public Simulation {
 public:
  RequestSimulation(const rules::Config& config, Format format)
      : headers_(config.headers),
        format_(format),
        table_(table_options(config)),
        stores_(stores_of(config)),
        routed_(table_, sites_of(stores_)),
        engine_(config.rules, routed_, KeySecret::random()),
        batch_(engine_) {}

  std::optional<Error> answer(std::string_view line, std::string& out) override {
    const auto event = reader_.read_request(line);
    if (!event.ok()) return Error{event.error()};
    clock_.set(event->time);
    batch_.clear(clock_.now());
    const auto index = batch_.add_request(event->request, event->verb);
    batch_.decide();
    for (std::size_t site = 0; site < stores_.size(); ++site) {
      if (routed_.out_of_reach(site)) return Error{"a shared store does not answer"};
    }
    const auto& verdict = batch_.verdict(index);
    if (format_ == Format::json) {
      write_json(*event, verdict, out);
    } else {
      write_text(*event, verdict, out);
    }
    return {};
  }

 private:
  static std::vector<std::unique_ptr<Store>> stores_of(const rules::Config& config) {
    std::vector<std::unique_ptr<Store>> stores;
    for (const auto& store : config.stores) stores.push_back(simulated_store(store));
    return stores;
  }

  static std::vector<limiter::SharedSite> sites_of(
      const std::vector<std::unique_ptr<Store>>& stores) {
    std::vector<limiter::SharedSite> sites;
    for (const auto& store : stores) sites.push_back({.store = store.get(), .on_change = {}});
    return sites;
  }

  /// What a door would tell of it: only an `acquire` is refused, the other verbs just answer.
  static limiter::Verdict as_told(const RequestEvent& event, limiter::Verdict verdict) {
    if (event.verb != Verb::acquire) verdict.status = limiter::Status::allowed;
    return verdict;
  }

  void write_json(const RequestEvent& event, const limiter::Verdict& verdict,
                  std::string& out) const {
    const auto told = as_told(event, verdict);
    JsonWriter json(out);
    json.open('{').name("t").value(event.time.time_since_epoch());
    json.name("status").value(front::http_status(told.status)).name("headers").open('{');
    for (const auto& field : front::render_headers(told, headers_, batch_.now())) {
      json.name(field.name()).value(field.value());
    }
    json.close('}').name("allowed").value(verdict.decision.allowed);
    write_deciding(verdict, json);
    json.name("hits").open('[');
    for (const auto& hit : verdict.hits) write_hit(hit, json);
    json.close(']').close('}');
    out += '\n';
  }

  static void write_deciding(const limiter::Verdict& verdict, JsonWriter& json) {
    if (verdict.limit == nullptr) {
      json.name("limit").null().name("rule").null();
      return write_no_numbers(json);
    }
    json.name("limit").value(verdict.limit->name).name("rule").value(verdict.limit->rule);
    if (verdict.status == limiter::Status::unavailable) return write_no_numbers(json);
    const auto& decision = verdict.decision;
    write_numbers(decision, decision.allowed ? verdict.delay : decision.delay, json);
  }

  static void write_text(const RequestEvent& event, const limiter::Verdict& verdict,
                         std::string& out) {
    fmt::format_to(std::back_inserter(out), "{}  {}", event.time.time_since_epoch().count(),
                   front::http_status(as_told(event, verdict).status));
    if (verdict.limit == nullptr) {
      out += verdict.rule == nullptr ? "  no limit met" : "  by rule " + *verdict.rule;
    } else {
      fmt::format_to(std::back_inserter(out),
                     "  {}: {}  remaining {}  retry after {}  reset after {}  delay {}",
                     verdict.limit->rule, verdict.limit->name, verdict.decision.remaining,
                     spelled(verdict.decision.retry_after), spelled(verdict.decision.reset_after),
                     spelled(verdict.delay));
    }
    out += '\n';
  }

  rules::HeaderConfig headers_;
  Format format_;
  ScenarioReader reader_;
  ManualClock clock_;
  store::Table table_;
  std::vector<std::unique_ptr<Store>> stores_;
  limiter::RoutedStore routed_;
  limiter::Engine engine_;
  limiter::Batch batch_;
};

}  // namespace

std::unique_ptr<Simulation> simulate_requests(const rules::Config& config, Format format) {
  return std::make_unique<RequestSimulation>(config, format);
}

}  // namespace weir::cli
