-- All limits of one rule, for one key: spends under all of them or under none.
--
-- KEYS: one bucket for each limit, all in one hash slot.
-- ARGV: operation (acquire, peek, refund or reset), permits, the time of the charge that is
-- refunded, and for each limit its kind, its capacity and
--   T p q      for a token bucket: a permit costs q units, and p units are earned in a microsecond
--   F window   for a fixed window
--   W window   for a sliding window
--   L window   for a sliding log.
-- Returns the time, and for each limit what remains, how long until more remains, and how long
-- until this demand would be met: 0 if it is, -1 if it never will be.
--
-- Times are in microseconds. All numbers are integers below 2^53, where doubles are exact; the
-- application refuses limits whose arithmetic would leave that range. Redis writes such numbers in
-- full where they are arguments of a command. A bucket expires when it equals a new one, and what
-- does not look like a bucket is taken for a new one, too.
--
-- A bucket may have been written under other numbers than those asked for: before a limit was
-- changed, or by an application that has another configuration. What was spent under them comes
-- back as they say, and is converted when something is spent. So whoever only asks changes nothing
-- for others, and the waits that are told hold.
--
-- Every call of the script makes its functions and tables anew, which takes more time than to use
-- them. Therefore a kind of limit is one function: it reads its bucket into local variables, lets
-- the limits after it look at theirs, and spends if all of them admit.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local operation, permits, charged_at = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local reply = {now, 0, 0, 0}

local PUSHED_AT_ONCE = 1000

local function idiv(x, y)
  local quotient = x / y
  return quotient - quotient % 1
end

local function ceil_div(x, y)
  local quotient = x / y
  return quotient + -quotient % 1
end

-- The reply to a command that reads, or '' where nothing is, or something else than a bucket.
local function read(command, key)
  local value = redis.pcall(command, key)
  if type(value) ~= 'table' then
    return value or ''
  end
  if not string.find(value.err, 'WRONGTYPE', 1, true) then
    error(value.err, 0)
  end
  return ''
end

-- Writes a bucket, or removes one that equals a new one.
local function save(key, used, micros, pattern, ...)
  if used then
    redis.call('SET', key, string.format(pattern, ...), 'PX', ceil_div(micros, 1000))
  else
    redis.call('DEL', key)
  end
end

local function answer(i, capacity, remaining, growth, wait)
  if operation ~= 'acquire' then
    wait = operation == 'peek' and remaining == 0 and growth or 0
  elseif permits > capacity then
    wait = -1
  end
  reply[3 * i - 1], reply[3 * i], reply[3 * i + 1] = remaining, growth, wait
end

-- Lets the i-th limit and those after it decide; tells whether they spend.
local decide

-- x units of which a permit costs one price, in units of another price, rounded up. The product can
-- have more than 53 bits, so that it is divided while it is made, bit by bit.
local function convert(x, price, other)
  local rest, quotient, remainder = x % price, 0, 0
  local function add(number)
    if remainder >= price - number then
      remainder = remainder - (price - number)
      quotient = quotient + 1
    else
      remainder = remainder + number
    end
  end
  for exponent = 52, 0, -1 do
    quotient = quotient * 2
    add(remainder)
    if idiv(other, 2 ^ exponent) % 2 == 1 then
      add(rest)
    end
  end
  return idiv(x, price) * other + quotient + (remainder > 0 and 1 or 0)
end

-- Kept as at:debt:p:q, the units that were owed at that time, and what they were worth. Where the
-- clock of this server is behind that of another, more is owed.
local function token_bucket(i, argument, admitted)
  local capacity, p, q =
    tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2]), tonumber(ARGV[argument + 3])
  local debt, rate, price = 0, p, q
  local at, old_debt, old_p, old_q =
    string.match(read('GET', KEYS[i]), '^(%d+):(%d+):([1-9]%d*):([1-9]%d*)$')
  if at then
    debt = old_debt - (now - at) * old_p
    if debt > 0 then
      rate, price = tonumber(old_p), tonumber(old_q)
    else
      debt = 0
    end
  end
  local remaining = math.max(capacity - ceil_div(debt, price), 0)

  local spends = decide(i + 1, argument + 4, admitted and permits <= remaining)
  local before = debt
  if spends then
    if price ~= q then
      debt = convert(debt, price, q)
    end
    debt, rate, price = debt + permits * q, p, q
  elseif operation == 'refund' and price == q and rate == p then
    -- A bucket that owed nothing before the charge has earned back by now what time has brought.
    local earned = math.max(now - charged_at, 0) * p
    debt = math.max(debt - math.max(math.min(permits, capacity) * q - earned, 0), 0)
  end
  if spends or debt ~= before then
    remaining = math.max(capacity - ceil_div(debt, q), 0)
    save(KEYS[i], debt > 0, ceil_div(debt, p), '%.0f:%.0f:%.0f:%.0f', now, debt, p, q)
  end

  local growth, wait = 0, 0
  if debt > 0 then
    growth = ceil_div(debt - (capacity - remaining - 1) * price, rate)
  end
  if not spends and permits > remaining then
    wait = ceil_div(debt - (capacity - permits) * price, rate)
  end
  answer(i, capacity, remaining, growth, wait)
  return spends
end

-- Kept as start:used:window.
local function fixed_window(i, argument, admitted)
  local capacity, window = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local start, used, length = now - now % window, 0, window
  local old_start, old_used, old_window =
    string.match(read('GET', KEYS[i]), '^(%d+):(%d+):(%d+)$')
  if old_start and now < old_start + old_window then
    start, used, length = tonumber(old_start), tonumber(old_used), tonumber(old_window)
  end
  local remaining = math.max(capacity - used, 0)

  local spends = decide(i + 1, argument + 3, admitted and permits <= remaining)
  local before = used
  if spends then
    if length ~= window then
      start, length = now - now % window, window
    end
    used = used + permits
  elseif
    operation == 'refund'
    and length == window
    and charged_at - charged_at % window == start
  then
    used = math.max(used - permits, 0)
  end
  local rest = start + length - now
  if spends or used ~= before then
    remaining = math.max(capacity - used, 0)
    save(KEYS[i], used > 0, rest, '%.0f:%.0f:%.0f', start, used, window)
  end
  local wait = not spends and permits > remaining and rest or 0
  answer(i, capacity, remaining, used > 0 and rest or 0, wait)
  return spends
end

-- Kept as start:previous:used:window, where the previous count is that of the window before.
local function sliding_window(i, argument, admitted)
  local capacity, window = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local start, previous, used, length = now - now % window, 0, 0, window
  local old_start, old_previous, old_used, old_window =
    string.match(read('GET', KEYS[i]), '^(%d+):(%d+):(%d+):([1-9]%d*)$')
  if old_start and now < old_start + 2 * old_window then
    start, length = tonumber(old_start), tonumber(old_window)
    previous, used = tonumber(old_previous), tonumber(old_used)
    if now >= start + length then
      start, previous, used = start + length, used, 0
    end
  end

  local left = start + length - now
  local function weigh()
    return used + ceil_div(previous * math.min(left, length), length)
  end
  -- In this window the previous count decays, and in the next one that of this window.
  local function until_there_are(wanted)
    local target = capacity - wanted
    if target >= used then
      return left - idiv((target - used) * length, previous)
    end
    return left + length - idiv(target * length, used)
  end

  local remaining = math.max(capacity - weigh(), 0)
  local spends = decide(i + 1, argument + 3, admitted and permits <= remaining)
  local wait, before = 0, previous + used
  if spends then
    if length ~= window then
      used, previous = weigh(), 0
      start, length = now - now % window, window
      left = start + length - now
    end
    used = used + permits
  elseif operation == 'refund' and length == window then
    local charged = charged_at - charged_at % window
    if charged == start then
      used = math.max(used - permits, 0)
    elseif charged == start - window then
      previous = math.max(previous - permits, 0)
    end
  elseif permits > remaining and permits <= capacity then
    wait = until_there_are(permits)
  end
  local any = previous + used > 0
  if spends or previous + used ~= before then
    remaining = math.max(capacity - weigh(), 0)
    local micros = used > 0 and left + window or left
    save(KEYS[i], any, micros, '%.0f:%.0f:%.0f:%.0f', start, previous, used, window)
  end
  answer(i, capacity, remaining, any and until_there_are(remaining + 1) or 0, wait)
  return spends
end

-- Kept as a list with a time for each permit, the newest last.
local function sliding_log(i, argument, admitted)
  local key = KEYS[i]
  local capacity, window = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local length = tonumber(read('LLEN', key)) or 0

  local function nth_newest(n)
    return tonumber(redis.call('LINDEX', key, -n)) or 0
  end
  local function until_there_are(wanted)
    return nth_newest(capacity - wanted + 1) + window - now
  end

  -- How many are in the window: often all that there can be.
  local used, most = 0, math.min(length, capacity)
  local middle = most
  while used < most do
    if now - nth_newest(middle) < window then
      used = middle
    else
      most = middle - 1
    end
    middle = used + ceil_div(most - used, 2)
  end

  local spends = decide(i + 1, argument + 3, admitted and permits <= capacity - used)
  local wait, newest = 0, 0
  if spends then
    if used == 0 then
      newest = now
      redis.call('DEL', key)
    else
      newest = math.max(now, nth_newest(1))
      redis.call('LTRIM', key, -used, -1)
    end
    for first = 1, permits, PUSHED_AT_ONCE do
      local times = {}
      for n = 1, math.min(permits - first + 1, PUSHED_AT_ONCE) do
        times[n] = newest
      end
      redis.call('RPUSH', key, unpack(times))
    end
    used = used + permits
  elseif operation == 'refund' and used > 0 and now - charged_at < window then
    local removed = redis.call('LREM', key, permits, charged_at)
    used = math.max(used - removed, 0)
    if used == 0 then
      redis.call('DEL', key)
    elseif removed > 0 then
      newest = nth_newest(1)
    end
  elseif permits > capacity - used and permits <= capacity then
    wait = until_there_are(permits)
  end
  if newest > 0 then
    local micros = newest + window - now
    redis.call('PEXPIRE', key, ceil_div(micros, 1000))
  end
  local growth = used > 0 and until_there_are(capacity - used + 1) or 0
  answer(i, capacity, capacity - used, growth, wait)
  return spends
end

function decide(i, argument, admitted)
  local kind = ARGV[argument]
  if kind == 'T' then
    return token_bucket(i, argument, admitted)
  elseif kind == 'F' then
    return fixed_window(i, argument, admitted)
  elseif kind == 'W' then
    return sliding_window(i, argument, admitted)
  elseif kind == 'L' then
    return sliding_log(i, argument, admitted)
  end
  return admitted and operation == 'acquire'
end

if operation == 'reset' then
  redis.call('DEL', unpack(KEYS))
else
  decide(1, 4, true)
end
return reply
