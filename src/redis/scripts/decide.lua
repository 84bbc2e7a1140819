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
--   l  log     a list: total instant total instant total ...
--
-- What the kinds do stands in states.lua and log.lua. Everything is read before anything is
-- written: a value that is no state changes nothing.
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
    local text = op.field ~= '' and fields_of(op.key)[op.field] or nil
    if op.field == '' then text = redis.call('GET', op.key) or nil end
    cells[name] = {key = op.key, field = op.field, text = text, ttl = op.ttl}
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
