// SPDX-License-Identifier: Apache-2.0
// Short critical sections: a lock that spins, then yields. Clang checks what it guards.
#pragma once

#include <atomic>
#include <thread>

#if defined(__clang__)
#define WEIR_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define WEIR_THREAD_ANNOTATION(x)
#endif

#define WEIR_CAPABILITY(x) WEIR_THREAD_ANNOTATION(capability(x))
#define WEIR_SCOPED_CAPABILITY WEIR_THREAD_ANNOTATION(scoped_lockable)
#define WEIR_GUARDED_BY(x) WEIR_THREAD_ANNOTATION(guarded_by(x))
#define WEIR_REQUIRES(...) WEIR_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define WEIR_ACQUIRE(...) WEIR_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define WEIR_RELEASE(...) WEIR_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

namespace weir {

/// How to wait for another thread that is about to finish: a few pauses, for it may run on another
/// core; then give the core away, for it may not run at all.
class SpinWait {
 public:
  void once() noexcept {
    if (spins_ < most_spins) {
      ++spins_;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  static constexpr int most_spins = 64;
  int spins_ = 0;
};

/// A mutual exclusion for a few dozen instructions. Not recursive, not fair.
class WEIR_CAPABILITY("spin lock") SpinLock {
 public:
  void lock() noexcept WEIR_ACQUIRE() {
    SpinWait wait;
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) wait.once();
    }
  }
  void unlock() noexcept WEIR_RELEASE() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

class WEIR_SCOPED_CAPABILITY SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) noexcept WEIR_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() WEIR_RELEASE() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace weir
