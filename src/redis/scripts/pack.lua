-- One acquire of several limits that stand in one hash, all or nothing.
--
--   KEYS[1]  the hash
--   ARGV     time to live in ms, how many limits, their fields, then for each its kind and the
--            numbers of the kind (kinds.lua)
--   returns  the states that were found, nil where there was none
local key, ttl, count = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local found = redis.call('HMGET', key, unpack(ARGV, 3, count + 2))
local made, used, ops, all, any = {}, {}, {}, true, false
local at = count + 3
for index = 1, count do
  local letter = ARGV[at]
  local kind = made[letter] or kinds[letter]()
  local op = kind.read(at + 1)
  all = kind.look(op, found[index]) and all
  any = any or found[index]
  made[letter], used[index], ops[index] = kind, kind, op
  at = at + 1 + kind.arguments
end
if all then
  local changes = {}
  for index = 1, count do
    local text = used[index].take(ops[index], 'a')
    if text then changes[#changes + 1], changes[#changes + 2] = ARGV[index + 2], text end
  end
  if #changes > 0 then
    redis.call('HSET', key, unpack(changes))
    -- Never shortened: a field may hold a debt.
    if redis.call('PTTL', key) < ttl then redis.call('PEXPIRE', key, ARGV[1]) end
  end
elseif any then
  end_of(key, ARGV[1])
end
return found
