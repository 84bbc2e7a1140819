// SPDX-License-Identifier: Apache-2.0
// Keeps the table's state in a file: restored at the start, written at intervals and at the end.
#pragma once

#include <optional>
#include <string>

#include <weir/clock.hpp>

#include "base/key.hpp"
#include "store/table.hpp"

namespace weir::cli {

class StateKeeper {
 public:
  struct Options {
    std::string file;  ///< empty: nothing is kept
    Duration every;
    std::optional<KeySecret> secret;  ///< that keys have to be hashed with; else the file's
  };

  /// Restores what the file holds into `table`, which must be new. A file that is damaged is not
  /// used: it is put aside under another name, for whoever wants to look, and that is logged as an
  /// error.
  StateKeeper(Options options, store::Table& table, Time now);

  /// What keys are hashed with: the given secret, else the file's, or a fresh one where there is
  /// no state.
  [[nodiscard]] const KeySecret& secret() const noexcept { return secret_; }

  /// Writes the file where its time has come.
  void write_if_due(Time now);

  /// Writes the file. A failure is logged, and told once until it succeeds again.
  void write(Time now);

 private:
  void restore(Time now);

  Options options_;
  store::Table& table_;
  KeySecret secret_ = KeySecret::random();
  Time due_;
  bool failing_ = false;
};

}  // namespace weir::cli
