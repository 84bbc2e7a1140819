-- The ops of one request: any limits, any verb, all or nothing within each part.
--
--   KEYS     those of the counters
--   ARGV     the ops: kind, which key, field of the hash or '', part, verb, time to live in ms,
--            then the numbers of the kind (kinds.lua, log.lua)
--   returns  for each op the state that it was decided by: a text, or nil where there was none
--
-- Everything is read before anything is written: a value that is no state changes nothing. A log's
-- list is written as it is charged; strings and hashes are read once, and written once at the end.
local cells, hashes, made = {}, {}, {}

local function fields_of(key)
  if not hashes[key] then
    local list, fields = redis.call('HGETALL', key), {}
    for at = 1, #list, 2 do fields[list[at]] = list[at + 1] end
    hashes[key] = fields
  end
  return hashes[key]
end

local function cell_of(key, field, ttl)
  local name = key .. field
  local cell = cells[name]
  if not cell then
    local text = field ~= '' and fields_of(key)[field] or nil
    if field == '' then text = redis.call('GET', key) or nil end
    cell = {key = key, field = field, text = text, ttl = ttl, owed_ms = 0, is_new = false}
    cells[name] = cell
  end
  return cell
end

local ops, parts, seen = {}, {}, {}

local function look(index)
  local op = ops[index]
  local kind, state = op.kind, op.state
  if kind.is_list then
    local fits = kind.look(state)
    seen[index] = kind.text(state, op.verb)
    return fits
  end
  seen[index] = op.cell.text or false
  return kind.look(state, op.cell.text)
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
    if op.kind.is_list then
      if op.kind.take(op.state, op.verb) then redis.call('PEXPIRE', op.key, op.ttl) end
      if op.verb == 'r' then seen[index] = op.kind.text(op.state, op.verb) end
    else
      local cell = op.cell
      local text, owed_ms = op.kind.take(op.state, op.verb)
      if text then
        cell.text, cell.is_new = text, true
        cell.owed_ms = math.max(cell.owed_ms, owed_ms or 0)
      end
    end
  end
end

local at = 1
while at <= #ARGV do
  local letter, key, field = ARGV[at], KEYS[tonumber(ARGV[at + 1])], ARGV[at + 2]
  local verb = ARGV[at + 4]
  local kind = made[letter] or kinds[letter]()
  made[letter] = kind
  local op = {
    kind = kind, key = key, part = ARGV[at + 3], verb = verb, ttl = ARGV[at + 5],
    state = kind.read(at + 6, key), cell = not kind.is_list and cell_of(key, field, ARGV[at + 5]),
  }
  at = at + 6 + kind.arguments
  ops[#ops + 1] = op
  local part = parts[#parts]
  if part and verb == 'a' and ops[part.last].part == op.part then
    part.last = #ops
  else
    parts[#parts + 1] = {first = #ops, last = #ops, admits = false}
  end
end

local verb, enforced_admit = ops[1].verb, true
for _, part in ipairs(parts) do
  part.admits = admits(part)
  if verb == 'a' and ops[part.first].part == '0' then enforced_admit = part.admits end
end
if verb == 'p' then return seen end
for number, part in ipairs(parts) do
  -- A key may have been charged in an earlier part: look again.
  if part.admits and enforced_admit and (number == 1 or admits(part)) then charge(part) end
end

local written = {}
for _, cell in pairs(cells) do
  if not cell.is_new then
    if cell.text then end_of(cell.key, cell.ttl) end
  elseif cell.field == '' then
    redis.call('SET', cell.key, cell.text, 'PX', life(tonumber(cell.ttl), cell.owed_ms))
  else
    local hash = written[cell.key] or {ttl = 0}
    hash[#hash + 1], hash[#hash + 2] = cell.field, cell.text
    hash.ttl = math.max(hash.ttl, tonumber(life(tonumber(cell.ttl), cell.owed_ms)))
    written[cell.key] = hash
  end
end
for key, hash in pairs(written) do
  redis.call('HSET', key, unpack(hash))
  -- Never shortened: another field may hold a debt.
  if redis.call('PTTL', key) < hash.ttl then
    redis.call('PEXPIRE', key, format('%d', hash.ttl))
  end
end
for _, op in ipairs(ops) do
  if op.kind.is_list then end_of(op.key, op.ttl) end
end
return seen
