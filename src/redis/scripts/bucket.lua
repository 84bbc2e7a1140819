-- A token bucket or queue alone at its key, whose times are whole microseconds.
--
--   KEYS[1]  the instant at which nothing is owed any more, as a decimal number
--   ARGV     now, the latest such instant that admits, what is added to it, time to live in ms
--   returns  the value that was found
--
-- All numbers are below 2^53, where Lua's are exact.
local found = redis.call('GET', KEYS[1])
local free_at = tonumber(ARGV[1])
if found then
  local stored = tonumber(found)
  if stored > free_at then free_at = stored end
end
if free_at <= tonumber(ARGV[2]) then
  redis.call('SET', KEYS[1], string.format('%d', free_at + ARGV[3]), 'PX', ARGV[4])
elseif redis.call('PTTL', KEYS[1]) == -1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return found
