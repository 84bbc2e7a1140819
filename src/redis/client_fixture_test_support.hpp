// SPDX-License-Identifier: Apache-2.0
// For tests of the client with real servers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "redis/asked_test_support.hpp"
#include "redis/client.hpp"
#include "redis/client_test_support.hpp"
#include "redis/server_test_support.hpp"

namespace weir::redis {

inline constexpr std::string_view add_script = "return redis.call('INCRBY', KEYS[1], ARGV[1])";

class ClientFixture : public testing::Test {
 protected:
  void connect(const std::string& url) {
    options_ = parse_url(url).value();
    options_.scripts = {add_script};
    stats_.on_change = [this](const std::string& text, bool) { told_.push_back(text); };
    client_.reset();
    client_.emplace(io_, options_, clock_, stats_);
  }

  Asked& send(const std::vector<Asked::Words>& commands,
              Duration timeout = std::chrono::seconds{10}) {
    auto& asked = make(commands, timeout);
    client_->send(asked);
    return asked;
  }
  Asked& make(const std::vector<Asked::Words>& commands,
              Duration timeout = std::chrono::seconds{10}) {
    return asked_.emplace_back(commands, clock_.now() + timeout);
  }

  bool run_until(const std::function<bool()>& holds) { return redis::run_until(io_, holds); }
  bool run_until_ended(const Asked& asked) {
    return run_until([&] { return asked.end.has_value(); });
  }
  bool all_end() {
    return run_until([&] {
      return std::ranges::all_of(asked_, [](const auto& asked) { return asked.end.has_value(); });
    });
  }
  /// Asks again and again until there is an answer.
  bool answers_in_the_end() {
    const Asked* asked = &ping();
    return run_until([&] {
      if (asked->end == Exchange::End::replied) return true;
      if (asked->end) asked = &ping();
      return false;
    });
  }
  const Asked& ping() { return send({{"PING"}}, std::chrono::milliseconds{50}); }

  boost::asio::io_context io_{
      BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};  // as the loops of doors have it
  const Clock& clock_ = SteadyClock::shared();
  Options options_;
  ClientStats stats_;
  std::vector<std::string> told_;
  std::deque<Asked> asked_;
  std::optional<Client> client_;
};

}  // namespace weir::redis
