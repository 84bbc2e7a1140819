-- The kinds of state that stand in a string or in a field of a hash. `kinds[letter]()` makes one:
--
--   arguments       how many numbers an op of the kind is asked with
--   read(at)        these, from ARGV[at] on
--   look(op, text)  reads the state; whether the op's cost fits
--   take(op, verb)  the text of the state after the op, nil where it stays the same; and how many
--                   ms the state can matter, where that is more than a limit's own time to live
--
-- All numbers are below 2^53, where Lua's are exact. What is passed in as numbers was worked out
-- by the asker, so that there is little left to do.
local kinds = {}
local most_number = 9007199254740991
local format = string.format

local function no_state() error('this is no state of a limit') end

-- The count after an op.
local function used_after(verb, used, cost, most)
  if verb == 'r' then return math.max(0, used - cost) end
  return math.min(used + cost, most)
end

-- A bucket or a queue: the instant hi where `base` is 1; hi and three digits of lo where it is up
-- to 1000, so that it is a number still, which takes Redis least memory; else `hi:lo`.
function kinds.b()
  local kind = {arguments = 8}

  function kind.read(at)
    return {
      now_hi = tonumber(ARGV[at]), now_lo = tonumber(ARGV[at + 1]),
      latest_hi = tonumber(ARGV[at + 2]), latest_lo = tonumber(ARGV[at + 3]),
      work_hi = tonumber(ARGV[at + 4]), work_lo = tonumber(ARGV[at + 5]),
      base = tonumber(ARGV[at + 6]), hi_us = tonumber(ARGV[at + 7]), hi = 0, lo = 0,
    }
  end

  local function forms_of(base)
    if base == 1 then return '^(%d+)$', '%d' end
    if base <= 1000 then return '^(%d+)(%d%d%d)$', '%d%03d' end
    return '^(%d+):(%d+)$', '%d:%d'
  end

  local function is_later(hi, lo, than_hi, than_lo)
    return hi > than_hi or (hi == than_hi and lo > than_lo)
  end

  function kind.look(op, text)
    op.hi, op.lo = op.now_hi, op.now_lo
    if text then
      local hi, lo = string.match(text, (forms_of(op.base)))
      if not hi then no_state() end
      hi, lo = tonumber(hi), lo and tonumber(lo) or 0
      if is_later(hi, lo, op.hi, op.lo) then op.hi, op.lo = hi, lo end
    end
    return not is_later(op.hi, op.lo, op.latest_hi, op.latest_lo)
  end

  local function after(op, verb)
    local hi, lo
    if verb == 'r' then
      hi, lo = op.hi - op.work_hi, op.lo - op.work_lo
      if lo < 0 then hi, lo = hi - 1, lo + op.base end
      if is_later(hi, lo, op.now_hi, op.now_lo) then return hi, lo end
      return op.now_hi, op.now_lo
    end
    hi, lo = op.hi + op.work_hi, op.lo + op.work_lo
    if lo >= op.base then hi, lo = hi + 1, lo - op.base end
    if hi >= most_number then return most_number, 0 end
    return hi, lo
  end

  function kind.take(op, verb)
    local hi, lo = after(op, verb)
    if hi == op.hi and lo == op.lo then return nil end
    local owed_ms = verb ~= 'a' and math.ceil((hi - op.now_hi + 1) * op.hi_us / 1000) or 0
    local _, form = forms_of(op.base)
    return format(form, hi, lo), owed_ms
  end

  return kind
end

-- A fixed window alone at its key, one for each window: 4 bytes, the units left; where there is a
-- debt, 8 bytes more.
function kinds.f()
  local kind = {arguments = 3}

  function kind.read(at)
    return {
      room = tonumber(ARGV[at]), cost = tonumber(ARGV[at + 1]), most = tonumber(ARGV[at + 2]),
      used = 0,
    }
  end

  function kind.look(op, text)
    op.used = 0
    if text then
      if #text ~= 4 and #text ~= 12 then no_state() end
      op.used = op.most - struct.unpack('>I4', text)
      if #text == 12 then op.used = op.used + struct.unpack('>I8', text, 5) end
      if op.used < 0 then no_state() end
    end
    return op.used <= op.room
  end

  function kind.take(op, verb)
    local used = used_after(verb, op.used, op.cost, most_number)
    if used == op.used then return nil end
    if used <= op.most then return struct.pack('>I4', op.most - used) end
    return struct.pack('>I4I8', 0, used - op.most)
  end

  return kind
end

-- A fixed window among other limits: `window:used`.
function kinds.w()
  local kind = {arguments = 3}

  function kind.read(at)
    return {
      window = tonumber(ARGV[at]), room = tonumber(ARGV[at + 1]), cost = tonumber(ARGV[at + 2]),
      used = 0,
    }
  end

  function kind.look(op, text)
    op.used = 0
    if text then
      local last, used = string.match(text, '^(%d+):(%d+)$')
      if not last then no_state() end
      last = tonumber(last)
      if last >= op.window then op.window, op.used = last, tonumber(used) end
    end
    return op.used <= op.room
  end

  function kind.take(op, verb)
    local used = used_after(verb, op.used, op.cost, most_number)
    if used == op.used then return nil end
    return format('%d:%d', op.window, used)
  end

  return kind
end

-- A sliding counter: `window:current:previous`. Times are hi * 2^27 + lo nanoseconds.
function kinds.c()
  local kind = {arguments = 7}

  function kind.read(at)
    return {
      window = tonumber(ARGV[at]), room = tonumber(ARGV[at + 1]), cost = tonumber(ARGV[at + 2]),
      left_hi = tonumber(ARGV[at + 3]), left_lo = tonumber(ARGV[at + 4]),
      period_hi = tonumber(ARGV[at + 5]), period_lo = tonumber(ARGV[at + 6]),
      current = 0, previous = 0,
    }
  end

  -- `count`, below 2^42, times hi * 2^27 + lo, below 2^55; as high * 2^48 + low.
  local function product(count, hi, lo)
    local low, high = count % 2^21, math.floor(count / 2^21)
    local cross, other = high * lo, low * hi
    local sum = low * lo + cross % 2^27 * 2^21 + other % 2^21 * 2^27
    return high * hi + math.floor(cross / 2^27) + math.floor(other / 2^21) + math.floor(sum / 2^48),
      sum % 2^48
  end

  function kind.look(op, text)
    op.current, op.previous = 0, 0
    if text then
      local last, current, previous = string.match(text, '^(%d+):(%d+):(%d+)$')
      if not last then no_state() end
      last, current = tonumber(last), tonumber(current)
      if last >= op.window then
        op.current, op.previous = current, tonumber(previous)
        if last > op.window then  -- time went back: as if that window had just begun
          op.window, op.left_hi, op.left_lo = last, op.period_hi, op.period_lo
        end
      elseif last == op.window - 1 then
        op.previous = current
      end
    end
    local room = op.room - op.current
    if room < 0 or op.previous <= room then return room >= 0 end
    -- floor(previous * left / period) <= room
    local hi, lo = product(op.previous, op.left_hi, op.left_lo)
    local most_hi, most_lo = product(room + 1, op.period_hi, op.period_lo)
    return hi < most_hi or (hi == most_hi and lo < most_lo)
  end

  function kind.take(op, verb)
    local current = used_after(verb, op.current, op.cost, 2^42 - 1)
    if current == op.current then return nil end
    return format('%d:%d:%d', op.window, current, op.previous)
  end

  return kind
end

-- Time to live in ms: the limit's own, or a debt's. 285 years are the most.
local function life(ttl, owed_ms)
  if not owed_ms or owed_ms + 1000 <= ttl then return format('%d', ttl) end
  return format('%d', math.min(owed_ms + 1000, 9e12))
end

-- A key that was left as it is, and has no end, gets one.
local function end_of(key, ttl)
  if redis.call('PTTL', key) == -1 then redis.call('PEXPIRE', key, ttl) end
end
