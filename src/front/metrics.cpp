// SPDX-License-Identifier: Apache-2.0
#include "front/metrics.hpp"

#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

namespace weir::front {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

double seconds_of(Duration span) { return std::chrono::duration<double>(span).count(); }

/// Builds the families one after another.
class Families {
 public:
  void family(std::string name, std::string help, MetricType type) {
    families_.push_back({std::move(name), std::move(help), type, {}});
  }

  ClientMetric& sample(Labels labels = {}) {
    auto& metric = families_.back().metric.emplace_back();
    metric.label = std::move(labels);
    return metric;
  }

  void count(std::uint64_t value, Labels labels = {}) {
    sample(std::move(labels)).counter.value = static_cast<double>(value);
  }

  void gauge(double value, Labels labels = {}) { sample(std::move(labels)).gauge.value = value; }

  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return std::move(out).str();
  }

 private:
  std::vector<MetricFamily> families_;
};

void add_decisions(const Metrics& metrics, Families& families) {
  families.family("weir_decisions_total",
                  "Decisions by the limit and what it said. A request that meets several limits "
                  "counts for each; a shadow limit counts what it would have said.",
                  MetricType::Counter);
  for (const auto& decision : metrics.decisions) {
    const auto labels = [&decision](const char* outcome) -> Labels {
      return {{"rule", decision.rule},
              {"limit", decision.limit},
              {"outcome", outcome},
              {"shadow", decision.shadow ? "true" : "false"}};
    };
    families.count(decision.allowed, labels("allowed"));
    families.count(decision.refused, labels("refused"));
    families.count(decision.unavailable, labels("unavailable"));
  }
  families.family("weir_fallback_decisions_total",
                  "Of these, decisions by the failure policy: the shared store was out of reach.",
                  MetricType::Counter);
  for (const auto& decision : metrics.decisions) {
    if (!decision.shared) continue;
    families.count(decision.fallback, {{"rule", decision.rule}, {"limit", decision.limit}});
  }
  families.family("weir_requests_exempt_total", "Requests that an exempt rule admitted.",
                  MetricType::Counter);
  families.count(metrics.exempt);
  families.family("weir_requests_forbidden_total",
                  "Requests without a part of their key, where the rule says 'missing: deny'.",
                  MetricType::Counter);
  families.count(metrics.forbidden);
}

void add_latency(const LatencyCounts& latency, Families& families) {
  families.family("weir_decision_duration_seconds",
                  "From the arrival of a request's bytes to its decision.", MetricType::Histogram);
  auto& histogram = families.sample().histogram;
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < latency.within.size(); ++at) {
    count += latency.within[at];
    histogram.bucket.push_back({count, seconds_of(LatencyCounts::bounds[at])});
  }
  count += latency.beyond;
  histogram.bucket.push_back({count, std::numeric_limits<double>::infinity()});
  histogram.sample_count = count;
  histogram.sample_sum = seconds_of(latency.sum);
}

void add_table(const TableMetrics& table, Families& families) {
  families.family("weir_keys", "Keys that owe something.", MetricType::Gauge);
  families.gauge(static_cast<double>(table.keys));
  families.family("weir_table_slots", "Keys that the table has room for.", MetricType::Gauge);
  families.gauge(static_cast<double>(table.slots));
  families.family("weir_evictions_total", "Keys that were forgotten to make room for others.",
                  MetricType::Counter);
  families.count(table.evictions);
  families.family("weir_table_bytes", "Memory of the table of keys.", MetricType::Gauge);
  families.gauge(static_cast<double>(table.bytes));
}

void add_stores(const std::vector<StoreMetrics>& stores, Families& families) {
  if (stores.empty()) return;
  families.family("weir_store_up", "1 where the shared store answers, 0 where it is out of reach.",
                  MetricType::Gauge);
  for (const auto& store : stores) families.gauge(store.in_reach ? 1 : 0, {{"store", store.store}});
  families.family("weir_store_connections", "Open connections to the shared store.",
                  MetricType::Gauge);
  for (const auto& store : stores) {
    families.gauge(static_cast<double>(store.connections), {{"store", store.store}});
  }
  families.family("weir_store_connects_total", "Attempts to connect, by how they ended.",
                  MetricType::Counter);
  for (const auto& store : stores) {
    families.count(store.connects, {{"store", store.store}, {"result", "success"}});
    families.count(store.connects_failed, {{"store", store.store}, {"result", "failure"}});
  }
  families.family("weir_store_questions_total",
                  "Questions to the shared store by how they ended: answered, with an error, not "
                  "in time, or not asked because it was known to be out of reach.",
                  MetricType::Counter);
  for (const auto& store : stores) {
    const auto labels = [&store](const char* end) -> Labels {
      return {{"store", store.store}, {"end", end}};
    };
    families.count(store.replied, labels("replied"));
    families.count(store.error_replies, labels("error"));
    families.count(store.timed_out, labels("timed_out"));
    families.count(store.unavailable, labels("unavailable"));
  }
  families.family("weir_store_redirections_total", "Questions that a cluster's node sent on.",
                  MetricType::Counter);
  for (const auto& store : stores) families.count(store.redirections, {{"store", store.store}});
}

void add_reloads(const ReloadMetrics& reloads, Families& families) {
  families.family("weir_config_reloads_total", "Times that the configuration was read again.",
                  MetricType::Counter);
  families.count(reloads.succeeded, {{"result", "success"}});
  families.count(reloads.failed, {{"result", "failure"}});
  families.family("weir_config_last_reload_success",
                  "1 where the latest configuration is in force, 0 where it is wrong.",
                  MetricType::Gauge);
  families.gauge(reloads.last_succeeded ? 1 : 0);
  families.family("weir_config_last_reload_timestamp_seconds",
                  "Since when the configuration in force is, in seconds since the epoch.",
                  MetricType::Gauge);
  families.gauge(seconds_of(reloads.last_success.time_since_epoch()));
}

void add_connections(const Metrics& metrics, Families& families) {
  families.family("weir_connections", "Open connections.", MetricType::Gauge);
  for (const auto& door : metrics.doors) {
    families.gauge(static_cast<double>(door.open_connections), {{"door", door.door}});
  }
  families.family("weir_connections_refused_total",
                  "Connections that were closed at once because too many were open.",
                  MetricType::Counter);
  families.count(metrics.connections_refused);
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  file >> total_pages >> resident_pages;
  return static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void add_process(const std::string& version, Families& families) {
  families.family("process_resident_memory_bytes", "Memory that this process holds.",
                  MetricType::Gauge);
  families.gauge(resident_bytes());
  families.family("process_cpu_seconds_total", "Processor time that this process took.",
                  MetricType::Counter);
  families.sample().counter.value = cpu_seconds();
  families.family("weir_build_info", "Always 1; the labels tell the build.", MetricType::Gauge);
  families.gauge(1, {{"version", version}});
}

}  // namespace

std::string prometheus_text(const Metrics& metrics) {
  Families families;
  add_decisions(metrics, families);
  add_latency(metrics.latency, families);
  add_table(metrics.table, families);
  add_stores(metrics.stores, families);
  add_reloads(metrics.reloads, families);
  add_connections(metrics, families);
  add_process(metrics.version, families);
  return families.text();
}

}  // namespace weir::front
