// SPDX-License-Identifier: Apache-2.0
// All of weir's library. Reading order: clock, limit, decision, limiter, keyed_limiter.
#pragma once

#include <weir/clock.hpp>
#include <weir/decision.hpp>
#include <weir/keyed_limiter.hpp>
#include <weir/limit.hpp>
#include <weir/limiter.hpp>
#include <weir/result.hpp>
