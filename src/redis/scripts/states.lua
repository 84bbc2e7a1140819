-- The states that stand in a string or in a field of a hash. Of each kind:
--
--   numbers     what an op of the kind is asked with
--   look(op, text)  reads the state; whether the op's cost fits
--   take(op)    the text of the state after the op; nil where it stays the same
--
-- All numbers are below 2^53, where Lua's are exact.
local most_number = 9007199254740991

local function no_state(op) error('no state of a limit at ' .. op.key) end

local formats = {'%d', '%d:%d', '%d:%d:%d'}
local function text_of(...) return string.format(formats[select('#', ...)], ...) end

-- The count after the op is done.
local function used_after(op, used, most)
  if op.verb == 'r' then return math.max(0, used - op.cost) end
  return math.min(used + op.cost, most)
end

local bucket = {
  numbers = {'now_hi', 'now_lo', 'latest_hi', 'latest_lo', 'work_hi', 'work_lo', 'base', 'hi_us'},
}

-- Instants are hi:lo; lo counts up to `base`.
local function is_later(hi, lo, than_hi, than_lo)
  return hi > than_hi or (hi == than_hi and lo > than_lo)
end

function bucket.look(op, text)
  op.hi, op.lo = op.now_hi, op.now_lo
  if text then
    local hi, lo = string.match(text, '^(%d+):?(%d*)$')
    if not hi then no_state(op) end
    hi, lo = tonumber(hi), tonumber(lo) or 0
    if is_later(hi, lo, op.now_hi, op.now_lo) then op.hi, op.lo = hi, lo end
  end
  return not is_later(op.hi, op.lo, op.latest_hi, op.latest_lo)
end

function bucket.take(op)
  local hi, lo
  if op.verb == 'r' then
    hi, lo = op.hi - op.work_hi, op.lo - op.work_lo
    if lo < 0 then hi, lo = hi - 1, lo + op.base end
    if not is_later(hi, lo, op.now_hi, op.now_lo) then hi, lo = op.now_hi, op.now_lo end
  else
    hi, lo = op.hi + op.work_hi, op.lo + op.work_lo
    if lo >= op.base then hi, lo = hi + 1, lo - op.base end
    if hi >= most_number then hi, lo = most_number, 0 end
  end
  if hi == op.hi and lo == op.lo then return nil end
  if op.verb ~= 'a' then
    local owed_ms = math.ceil((hi - op.now_hi + 1) * op.hi_us / 1000)
    op.ttl = math.min(math.max(op.ttl, owed_ms + 1000), 9e12)
  end
  if op.base == 1 then return text_of(hi) end
  return text_of(hi, lo)
end

local alone = {numbers = {'room', 'cost', 'most'}}

function alone.look(op, text)
  op.used = 0
  if text then
    if #text ~= 4 and #text ~= 12 then no_state(op) end
    op.used = op.most - struct.unpack('>I4', text)
    if #text == 12 then op.used = op.used + struct.unpack('>I8', text, 5) end
    if op.used < 0 then no_state(op) end
  end
  return op.used <= op.room
end

function alone.take(op)
  local used = used_after(op, op.used, most_number)
  if used == op.used then return nil end
  if used <= op.most then return struct.pack('>I4', op.most - used) end
  return struct.pack('>I4I8', 0, used - op.most)
end

local window = {numbers = {'window', 'room', 'cost'}}

function window.look(op, text)
  op.used = 0
  if text then
    local last, used = string.match(text, '^(%d+):(%d+)$')
    if not last then no_state(op) end
    last = tonumber(last)
    if last >= op.window then op.window, op.used = last, tonumber(used) end
  end
  return op.used <= op.room
end

function window.take(op)
  local used = used_after(op, op.used, most_number)
  if used == op.used then return nil end
  return text_of(op.window, used)
end

local counter = {
  numbers = {'window', 'room', 'cost', 'left_hi', 'left_lo', 'period_hi', 'period_lo'},
}

-- The product of `count`, below 2^42, and hi * 2^27 + lo, below 2^55, as high * 2^48 + low.
local function product(count, hi, lo)
  local low, high = count % 2^21, math.floor(count / 2^21)
  local cross, other = high * lo, low * hi
  local sum = low * lo + cross % 2^27 * 2^21 + other % 2^21 * 2^27
  return high * hi + math.floor(cross / 2^27) + math.floor(other / 2^21) + math.floor(sum / 2^48),
    sum % 2^48
end

function counter.look(op, text)
  op.current, op.previous = 0, 0
  if text then
    local last, current, previous = string.match(text, '^(%d+):(%d+):(%d+)$')
    if not last then no_state(op) end
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

function counter.take(op)
  local current = used_after(op, op.current, 2^42 - 1)
  if current == op.current then return nil end
  return text_of(op.window, current, op.previous)
end
