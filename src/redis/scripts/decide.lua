-- The ops of one request: any limits, any verb, all or nothing within each part.
--
--   KEYS     those of the counters
--   ARGV     the ops: kind, which key, field of the hash or '', part, verb (a: acquire, p: peek,
--            d: debit, r: refund), time to live in ms, then the numbers that the kind names
--   returns  for each op the state that it was decided by: a text, or nil where there was none
--
--   kind       state
--   b  bucket  free_at  or  free_at:fraction
--   f  window  alone at its key: 4 bytes units left, then 8 bytes debt where there is one
--   w  window  in a hash: window:used
--   c  counter window:current:previous
--   l  log     a list: total instant total instant total ... (see there)
--
-- Everything is read before anything is written: a value that is no state changes nothing. All
-- numbers are below 2^53, where Lua's are exact.
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
    op.ttl = math.min(math.max(op.ttl, owed_ms + 1000), 1e13)
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

-- A log stands in a list of its own, the oldest first: the running total of units before the first
-- instant, then each instant and the total with it. Totals are taken modulo 2^52; an instant holds
-- 2^33 units at most.
--
--     total  instant total  instant total  ...
--
-- Its text is what an answer needs: the units used, and how many microseconds it takes until all
-- have left the period, and until so many have that the cost fits (0: it does, or never will).
local log = {numbers = {'now', 'period', 'room', 'cost', 'most'}}
local modulus, most_held, most_used = 2^52, 2^33, 2^51

local function item(op, index)
  return tonumber(redis.call('LINDEX', op.key, index)) or no_state(op)
end
local function instant(op, entry) return item(op, 2 * entry + 1) end
local function total(op, entry) return item(op, 2 * entry + 2) end

-- The first number from `low` to `size` for which `reached` holds; it is sought near `low` first.
local function first_where(low, size, reached)
  local stride = 1
  while stride <= size - low and not reached(low + stride - 1) do
    low, stride = low + stride, stride * 2
  end
  local high = math.min(size, low + stride - 1)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if reached(middle) then high = middle else low = middle + 1 end
  end
  return low
end

function log.look(op)
  local size = redis.call('LLEN', op.key)
  op.entries, op.used, op.ended, op.total = 0, 0, 0, 0
  if size == 0 then return op.room >= 0 end
  if size % 2 == 0 or size == 1 then no_state(op) end
  op.entries = (size - 1) / 2
  op.newest, op.total = item(op, -2), item(op, -1)
  op.now = math.max(op.now, op.newest)  -- time went back
  local start = op.now - op.period
  op.ended = first_where(0, op.entries, function(entry) return instant(op, entry) > start end)
  op.ended_total = item(op, 2 * op.ended)
  op.used = (op.total - op.ended_total) % modulus
  return op.used <= op.room
end

function log.text(op)
  if op.used == 0 then return nil end
  local reset, wait = op.newest + op.period - op.now, 0
  if op.used > op.room and op.room >= 0 and op.verb ~= 'r' then
    local leave = op.used - op.room
    local last = first_where(op.ended, op.entries - 1, function(entry)
      return (total(op, entry) - op.ended_total) % modulus >= leave
    end)
    wait = instant(op, last) + op.period - op.now
  end
  return text_of(op.used, reset, wait)
end

local function merge_oldest(op)
  local first = redis.call('LRANGE', op.key, 0, 4)
  local before, merged = tonumber(first[1]), tonumber(first[5])
  if (merged - before) % modulus > most_held then before = (merged - most_held) % modulus end
  redis.call('LTRIM', op.key, 2, -1)
  redis.call('LSET', op.key, 0, text_of(before))
end

local function add(op)
  local units = math.min(op.cost, most_used - op.used)
  if op.ended > 0 then redis.call('LTRIM', op.key, 2 * op.ended, -1) end
  local entries = op.entries - op.ended
  if entries > 0 and op.newest == op.now then
    local held = (op.total - item(op, -3)) % modulus
    units = math.min(units, most_held - held)
    redis.call('LSET', op.key, -1, text_of((op.total + units) % modulus))
  else
    if op.entries == 0 then redis.call('RPUSH', op.key, '0') end
    units = math.min(units, most_held)
    redis.call('RPUSH', op.key, text_of(op.now), text_of((op.total + units) % modulus))
    if entries > op.most then merge_oldest(op) end
  end
end

-- Gives back the newest units, and looks again: the answer is made of what is left.
local function give_back(op)
  local left = op.used - math.min(op.cost, op.used)
  if left == 0 and op.ended == 0 then
    redis.call('DEL', op.key)
    op.used = 0
    return
  end
  local dropped = first_where(0, op.entries - op.ended, function(number)
    return (item(op, -3 - 2 * number) - op.ended_total) % modulus < left
  end)
  if dropped > 0 then redis.call('LTRIM', op.key, 0, -1 - 2 * dropped) end
  if left > 0 then redis.call('LSET', op.key, -1, text_of((op.ended_total + left) % modulus)) end
  op.newest, op.used = item(op, -2), left
end

function log.take(op)
  if op.cost == 0 then return end
  if op.verb ~= 'r' then add(op) elseif op.used > 0 then give_back(op) else return end
  redis.call('PEXPIRE', op.key, op.ttl)
  op.is_written = true
end

local kinds = {b = bucket, f = alone, w = window, c = counter, l = log}

-- The states that stand in strings and hashes: each is read once, and written once at the end.
local cells, hashes = {}, {}

local function fields_of(key)
  if not hashes[key] then
    local list, fields = redis.call('HGETALL', key), {}
    for at = 1, #list, 2 do fields[list[at]] = list[at + 1] end
    hashes[key] = fields
  end
  return hashes[key]
end

local function cell_of(op)
  local name = op.key .. op.field
  if not cells[name] then
    local text
    if op.field == '' then text = redis.call('GET', op.key) else text = fields_of(op.key)[op.field] end
    cells[name] = {key = op.key, field = op.field, text = text or nil, ttl = op.ttl}
  end
  return cells[name]
end

local ops, seen = {}, {}

local function look(index)
  local op = ops[index]
  if op.kind == log then
    local fits = log.look(op)
    if op.verb ~= 'r' then seen[index] = log.text(op) or false end
    return fits
  end
  op.cell = op.cell or cell_of(op)
  seen[index] = op.cell.text or false
  return op.kind.look(op, op.cell.text)
end

-- Whether all of the part fits; nothing but an acquire is ever refused.
local function admits(part)
  local all = true
  for index = part.first, part.last do
    local fits = look(index)
    all = all and (fits or ops[index].verb ~= 'a')
  end
  return all
end

local function charge(part)
  for index = part.first, part.last do
    local op = ops[index]
    if op.kind == log then
      if op.verb ~= 'p' then log.take(op) end
      if op.verb == 'r' then seen[index] = log.text(op) or false end
    elseif op.verb ~= 'p' then
      local text = op.kind.take(op)
      if text then
        op.cell.text, op.cell.is_new = text, true
        op.cell.ttl = math.max(op.cell.ttl, op.ttl)
      end
    end
  end
end

local parts = {}
local at = 1
while at <= #ARGV do
  local op = {
    kind = kinds[ARGV[at]], key = KEYS[tonumber(ARGV[at + 1])], field = ARGV[at + 2],
    part = ARGV[at + 3], verb = ARGV[at + 4], ttl = tonumber(ARGV[at + 5]),
  }
  at = at + 6
  for _, name in ipairs(op.kind.numbers) do
    op[name] = tonumber(ARGV[at])
    at = at + 1
  end
  ops[#ops + 1] = op
  local part = parts[#parts]
  if part and op.verb == 'a' and ops[part.last].part == op.part then
    part.last = #ops
  else
    parts[#parts + 1] = {first = #ops, last = #ops}
  end
end

local enforced_admit = true
for _, part in ipairs(parts) do
  part.admits = admits(part)
  if ops[part.first].part == '0' and ops[part.first].verb == 'a' then
    enforced_admit = part.admits
  end
end
for number, part in ipairs(parts) do
  -- A key may have been charged in an earlier part: look again.
  if part.admits and enforced_admit and (number == 1 or admits(part)) then charge(part) end
end

-- A key that is not there lives for -2 ms; one that never ends, for -1.
local function expire(key, ttl, if_below)
  if redis.call('PTTL', key) < if_below then
    redis.call('PEXPIRE', key, string.format('%d', ttl))
  end
end

local written = {}
for _, cell in pairs(cells) do
  if not cell.is_new then
    if cell.text and ops[1].verb ~= 'p' then expire(cell.key, cell.ttl, 0) end
  elseif cell.field == '' then
    redis.call('SET', cell.key, cell.text, 'PX', string.format('%d', cell.ttl))
  else
    local hash = written[cell.key] or {ttl = 0}
    hash[#hash + 1], hash[#hash + 2] = cell.field, cell.text
    hash.ttl = math.max(hash.ttl, cell.ttl)
    written[cell.key] = hash
  end
end
for _, op in ipairs(ops) do
  if op.kind == log and op.verb ~= 'p' and not op.is_written then expire(op.key, op.ttl, 0) end
end
for key, hash in pairs(written) do
  redis.call('HSET', key, unpack(hash))
  expire(key, hash.ttl, hash.ttl)
end
return seen
