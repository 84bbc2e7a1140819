-- One op alone at its key.
--
--   KEYS[1]  its state
--   ARGV     kind, verb (a: acquire, p: peek, d: debit, r: refund), time to live in ms, then the
--            numbers of the kind (kinds.lua, log.lua)
--   returns  the state that it was decided by: a text, or nil where there was none
local key, verb, ttl = KEYS[1], ARGV[2], tonumber(ARGV[3])
local kind = kinds[ARGV[1]]()
local op = kind.read(4, key)

if kind.is_list then
  local fits = kind.look(op)
  local found = kind.text(op, verb)
  if verb ~= 'p' and (fits or verb ~= 'a') and kind.take(op, verb) then
    redis.call('PEXPIRE', key, ARGV[3])
    if verb == 'r' then return kind.text(op, verb) end
  elseif found and verb ~= 'p' then
    end_of(key, ARGV[3])
  end
  return found
end

local found = redis.call('GET', key)
local fits = kind.look(op, found)
local text, owed_ms
if verb ~= 'p' and (fits or verb ~= 'a') then text, owed_ms = kind.take(op, verb) end
if text then
  redis.call('SET', key, text, 'PX', life(ttl, owed_ms))
elseif found and verb ~= 'p' then
  end_of(key, ARGV[3])
end
return found
