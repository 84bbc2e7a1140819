// SPDX-License-Identifier: Apache-2.0
#include "cli/state_keeper.hpp"

#include <spdlog/spdlog.h>

#include <filesystem>
#include <utility>

#include "store/snapshot.hpp"

namespace weir::cli {

namespace {

void put_aside(const std::string& file) {
  const std::string aside = file + ".damaged";
  std::error_code failed;
  std::filesystem::rename(file, aside, failed);
  if (!failed) spdlog::error("the damaged state file is kept as {}", aside);
}

}  // namespace

StateKeeper::StateKeeper(Options options, store::Table& table, Time now)
    : options_(std::move(options)), table_(table), due_(now + options_.every) {
  if (options_.secret) secret_ = *options_.secret;
  if (!options_.file.empty()) restore(now);
}

void StateKeeper::restore(Time now) {
  const auto snapshot = store::Snapshot::read(options_.file);
  if (!snapshot) {
    spdlog::error("the state is not restored, all counters start afresh: {}", snapshot.error());
    return put_aside(options_.file);
  }
  if (!snapshot.value()) return;
  if (options_.secret && snapshot.value()->secret() != *options_.secret) {
    return spdlog::warn(
        "the state is not restored, its counters start afresh: {} is of another store secret",
        options_.file);
  }
  secret_ = snapshot.value()->secret();
  const auto restored = snapshot.value()->restore_into(table_, now);
  spdlog::info("{} keys restored from {}", restored.keys, options_.file);
  if (restored.no_room != 0) {
    spdlog::warn("{} keys had no room: the memory is smaller than it was", restored.no_room);
  }
}

void StateKeeper::write_if_due(Time now) {
  if (options_.file.empty() || now < due_) return;
  write(now);
  due_ = now + options_.every;
}

void StateKeeper::write(Time now) {
  if (options_.file.empty()) return;
  const auto written = store::write_snapshot(table_, secret_, now, options_.file);
  if (written) {
    if (std::exchange(failing_, false)) spdlog::info("the state is written again");
  } else if (!std::exchange(failing_, true)) {
    spdlog::error("the state is not written: {}", written.error());
  }
}

}  // namespace weir::cli
