// SPDX-License-Identifier: Apache-2.0
// Limits inside a program: one for the whole process, several for each caller, a cost that is known
// only afterwards, and a clock that moves when it is told to.
#include <weir/weir.hpp>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string_view>

namespace {

using namespace std::chrono_literals;

void show(std::string_view what, const weir::Decision& decision) {
  const auto milliseconds = [](weir::Duration duration) {
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  };
  std::cout << what << ": " << (decision ? "admitted" : "refused") << ", " << decision.remaining
            << " of " << decision.capacity << " left";
  if (!decision) std::cout << ", again in " << milliseconds(decision.retry_after) << " ms";
  std::cout << '\n';
}

// A limit that the whole process shares.
void one_for_all(const weir::Clock& clock) {
  weir::Limiter uploads(weir::token_bucket(2, 1s), clock);
  for (int i = 0; i < 3; ++i) show("upload", uploads.acquire());
}

// Several limits for each caller: a request that one of them refuses is charged to none.
void for_each_caller(weir::ManualClock& clock) {
  weir::KeyedLimiter api({weir::token_bucket(10, 1s).with_burst(20), weir::sliding_log(25, 1min)},
                         {.clock = &clock});
  show("ann, an export", api.acquire("ann", 20));
  show("ann, an export", api.acquire("ann", 20));
  show("bob, a read", api.acquire("bob"));

  clock.advance(1min);
  show("ann, a minute later", api.acquire("ann", 20));
}

// What a call to a language model costs is known when it is over. A key may go into debt then, and
// waits until that is paid.
void cost_known_afterwards(weir::ManualClock& clock) {
  weir::KeyedLimiter tokens({weir::token_bucket(100, 1min)}, {.clock = &clock});
  show("a question", tokens.acquire("team", 10));
  tokens.debit("team", 95);  // its answer was long: 5 more than were left
  show("another question", tokens.acquire("team", 10));
}

}  // namespace

int main() {
  weir::ManualClock clock;  // a service leaves it out: weir::SteadyClock is the default
  one_for_all(clock);
  for_each_caller(clock);
  cost_known_afterwards(clock);
}
