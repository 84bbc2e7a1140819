-- A limit was changed: what was used of it moves to another key, if both are still as they were
-- looked at. So of many instances that try it at once one does it.
--
--   KEYS     from, to
--   ARGV     m: a log moves as it is, or '': units are debited; then for both keys the kind, the
--            field of the hash or '', the state as it was seen or '', time to live in ms, and the
--            numbers of the kind (kinds.lua, log.lua)
--   returns  1 where it moved, else 0
local function read_op(at, key)
  local kind = kinds[ARGV[at]]()
  local op = {
    key = key, kind = kind, field = ARGV[at + 1], seen = ARGV[at + 2], ttl = ARGV[at + 3],
    state = kind.read(at + 4, key),
  }
  return op, at + 4 + kind.arguments
end

local function text_of(op)
  if op.kind.is_list then
    op.kind.look(op.state)
    return op.kind.text(op.state, 'p')
  end
  if op.field ~= '' then return redis.call('HGET', op.key, op.field) end
  return redis.call('GET', op.key)
end

local from, at = read_op(2, KEYS[1])
local to = read_op(at, KEYS[2])
local text = text_of(to)
if (text_of(from) or '') ~= from.seen or (text or '') ~= to.seen then return 0 end

if ARGV[1] == 'm' then
  redis.call('RENAME', from.key, to.key)
  redis.call('PEXPIRE', to.key, to.ttl)
  return 1
end
if from.field == '' then
  redis.call('DEL', from.key)
else
  redis.call('HDEL', from.key, from.field)
end
if to.kind.is_list then
  to.kind.take(to.state, 'd')
  redis.call('PEXPIRE', to.key, to.ttl)
  return 1
end
to.kind.look(to.state, text)
local new, owed_ms = to.kind.take(to.state, 'd')
local ttl = life(tonumber(to.ttl), owed_ms)
if to.field == '' then
  redis.call('SET', to.key, new, 'PX', ttl)
else
  redis.call('HSET', to.key, to.field, new)
  if redis.call('PTTL', to.key) < tonumber(ttl) then redis.call('PEXPIRE', to.key, ttl) end
end
return 1
