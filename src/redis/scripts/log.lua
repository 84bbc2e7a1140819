-- A sliding log stands in a list of its own, the oldest first: the running total of units before
-- the first instant, then each instant and the total with it. Totals are taken modulo 2^52; an
-- instant holds 2^33 units at most.
--
--     total  instant total  instant total  ...
--
-- Its text is what an answer needs: the units used, and how many microseconds it takes until all
-- have left the period, and until so many have that the cost fits (0: it does, or never will).
function kinds.l()
  local kind = {arguments = 5, is_list = true}
  local modulus, most_held, most_used = 2^52, 2^33, 2^51

  function kind.read(at, key)
    return {
      key = key, now = tonumber(ARGV[at]), period = tonumber(ARGV[at + 1]),
      room = tonumber(ARGV[at + 2]), cost = tonumber(ARGV[at + 3]), most = tonumber(ARGV[at + 4]),
      entries = 0, used = 0, ended = 0, total = 0, newest = 0, ended_total = 0,
    }
  end

  local function item(op, index)
    return tonumber(redis.call('LINDEX', op.key, index)) or no_state()
  end

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

  function kind.look(op)
    local size = redis.call('LLEN', op.key)
    op.entries, op.used, op.ended, op.total = 0, 0, 0, 0
    if size == 0 then return op.room >= 0 end
    if size % 2 == 0 or size == 1 then no_state() end
    op.entries = (size - 1) / 2
    op.newest, op.total = item(op, -2), item(op, -1)
    op.now = math.max(op.now, op.newest)  -- time went back
    local start = op.now - op.period
    op.ended = first_where(0, op.entries, function(entry)
      return item(op, 2 * entry + 1) > start
    end)
    op.ended_total = item(op, 2 * op.ended)
    op.used = (op.total - op.ended_total) % modulus
    return op.used <= op.room
  end

  function kind.text(op, verb)
    if op.used == 0 then return false end
    local wait = 0
    if op.used > op.room and op.room >= 0 and verb ~= 'r' then
      local leave = op.used - op.room
      local last = first_where(op.ended, op.entries - 1, function(entry)
        return (item(op, 2 * entry + 2) - op.ended_total) % modulus >= leave
      end)
      wait = item(op, 2 * last + 1) + op.period - op.now
    end
    return format('%d:%d:%d', op.used, op.newest + op.period - op.now, wait)
  end

  local function merge_oldest(op)
    local first = redis.call('LRANGE', op.key, 0, 4)
    local before, merged = tonumber(first[1]), tonumber(first[5])
    if (merged - before) % modulus > most_held then before = (merged - most_held) % modulus end
    redis.call('LTRIM', op.key, 2, -1)
    redis.call('LSET', op.key, 0, format('%d', before))
  end

  local function add(op)
    local units = math.min(op.cost, most_used - op.used)
    if op.ended > 0 then redis.call('LTRIM', op.key, 2 * op.ended, -1) end
    local entries = op.entries - op.ended
    if entries > 0 and op.newest == op.now then
      units = math.min(units, most_held - (op.total - item(op, -3)) % modulus)
      redis.call('LSET', op.key, -1, format('%d', (op.total + units) % modulus))
      return
    end
    if op.entries == 0 then redis.call('RPUSH', op.key, '0') end
    local total = (op.total + math.min(units, most_held)) % modulus
    redis.call('RPUSH', op.key, format('%d', op.now), format('%d', total))
    if entries > op.most then merge_oldest(op) end
  end

  -- Gives back the newest units; what is left is what the answer is made of.
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
    if left > 0 then
      redis.call('LSET', op.key, -1, format('%d', (op.ended_total + left) % modulus))
    end
    op.newest, op.used = item(op, -2), left
  end

  -- Whether anything is changed by it.
  function kind.take(op, verb)
    if op.cost == 0 or (verb == 'r' and op.used == 0) then return false end
    if verb == 'r' then give_back(op) else add(op) end
    return true
  end

  return kind
end
