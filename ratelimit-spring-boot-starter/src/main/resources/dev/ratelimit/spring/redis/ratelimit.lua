-- All limits of one rule, for one key: spends under all of them or under none.
--
-- KEYS: one bucket for each limit, all in one hash slot.
-- ARGV: operation (acquire, peek or refund), permits, the time of the charge that is refunded, and
-- for each limit its kind and three numbers: T burst p q, or F, W or L, requests, window, 0.
-- A permit of a token bucket costs q units, and p units are earned in a microsecond.
-- Returns the time, and for each limit what remains, how long until more remains, and how long
-- until this demand would be met: 0 if it is, -1 if it never will be.
--
-- Times are in microseconds. All numbers are integers below 2^53, where doubles are exact; the
-- application refuses limits whose arithmetic would leave that range. A bucket expires when it
-- equals a new one, and what does not look like a bucket is taken for a new one, too.

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])

local operation = ARGV[1]
local permits = tonumber(ARGV[2])
local charged_at = tonumber(ARGV[3])

local function idiv(x, y)
  return (x - x % y) / y
end

local function ceil_div(x, y)
  return idiv(x + y - 1, y)
end

local function text(number)
  return string.format('%.0f', number)
end

local function millis(micros)
  return text(ceil_div(micros, 1000))
end

-- The reply to a read, or nil where the key holds something else than a bucket.
local function read(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) ~= 'table' then
    return reply
  end
  if string.find(reply.err, 'WRONGTYPE', 1, true) then
    return nil
  end
  error(reply.err, 0)
end

-- The numbers of a bucket that is kept in a string; nothing for a new one.
local function numbers(key, pattern)
  local value = read('GET', key)
  if not value then
    return nil
  end
  local a, b, c, d = string.match(value, pattern)
  return tonumber(a), tonumber(b), tonumber(c), tonumber(d)
end

local function save(key, micros, ...)
  local fields = {...}
  for i = 1, #fields do
    fields[i] = text(fields[i])
  end
  redis.call('SET', key, table.concat(fields, ':'), 'PX', millis(micros))
end

local function forget(key)
  redis.call('DEL', key)
end

-- Each kind makes a bucket of what is stored under its key:
--   capacity             what a new bucket has
--   empty(b)             whether it equals a new one
--   remaining(b)         the permits in it
--   wait(b, permits)     how long until it has so many, which are more than there are
--   spend(b, permits)    takes permits that are there
--   give_back(b)         takes back what is left of the charge; tells whether that is anything
--   store(b)             writes it

-- at:debt:p:q, the units that were owed at that time, and what they were worth.
local token_bucket = {}

function token_bucket.load(b, p, q)
  b.p, b.q, b.full = p, q, b.capacity * q
  local at, debt, stored_p, stored_q = numbers(b.key, '^(%d+):(%d+):(%d+):(%d+)$')
  b.at, b.debt = now, 0
  if not stored_q or stored_p < 1 or stored_q < 1 then
    return
  end
  -- The clock of another server may be behind.
  b.at = math.max(now, at)
  local elapsed = b.at - at
  if elapsed < ceil_div(debt, stored_p) then
    b.debt = debt - elapsed * stored_p
    if stored_q ~= q then
      b.debt = math.ceil(b.debt / stored_q * q)
    end
    b.debt = math.min(b.debt, b.full)
  end
end

function token_bucket.empty(b)
  return b.debt == 0
end

function token_bucket.remaining(b)
  return idiv(b.full - b.debt, b.q)
end

function token_bucket.wait(b, wanted)
  return b.at - now + ceil_div(b.debt - (b.full - wanted * b.q), b.p)
end

function token_bucket.spend(b, count)
  b.debt = b.debt + count * b.q
end

-- A bucket that owed nothing before the charge would have earned back by now what time has brought.
function token_bucket.give_back(b)
  local credit = math.min(permits, b.capacity) * b.q
  local elapsed = math.max(b.at - charged_at, 0)
  if b.debt == 0 or elapsed >= ceil_div(credit, b.p) then
    return false
  end
  b.debt = math.max(b.debt - (credit - elapsed * b.p), 0)
  return true
end

function token_bucket.store(b)
  save(b.key, b.at - now + ceil_div(b.debt, b.p), b.at, b.debt, b.p, b.q)
end

-- start:count:window
local fixed_window = {}

function fixed_window.load(b, window)
  b.window, b.start, b.count = window, now - now % window, 0
  local start, count, stored_window = numbers(b.key, '^(%d+):(%d+):(%d+)$')
  if not stored_window or now >= start + stored_window then
    return
  end
  b.count = math.min(count, b.capacity)
  if stored_window == window then
    b.start = math.max(start, b.start)
  end
end

function fixed_window.empty(b)
  return b.count == 0
end

function fixed_window.remaining(b)
  return b.capacity - b.count
end

function fixed_window.wait(b)
  return b.start + b.window - now
end

function fixed_window.spend(b, count)
  b.count = b.count + count
end

function fixed_window.give_back(b)
  if b.count == 0 or charged_at - charged_at % b.window ~= b.start then
    return false
  end
  b.count = math.max(b.count - permits, 0)
  return true
end

function fixed_window.store(b)
  save(b.key, b.start + b.window - now, b.start, b.count, b.window)
end

-- start:previous:current:window, where the previous count is that of the window before.
local sliding_window = {}

local function weighted(previous, left, window)
  return ceil_div(previous * math.min(left, window), window)
end

function sliding_window.load(b, window)
  b.window, b.start, b.previous, b.current = window, now - now % window, 0, 0
  local start, previous, current, stored_window =
    numbers(b.key, '^(%d+):(%d+):(%d+):(%d+)$')
  if not stored_window or stored_window < 1 or now >= start + 2 * stored_window then
    return
  end
  if now >= start + stored_window then
    start, previous, current = start + stored_window, current, 0
  end
  if stored_window == window then
    b.start = start
    b.previous, b.current = math.min(previous, b.capacity), math.min(current, b.capacity)
  else
    local used = current + weighted(previous, start + stored_window - now, stored_window)
    b.current = math.min(used, b.capacity)
  end
end

function sliding_window.empty(b)
  return b.previous == 0 and b.current == 0
end

function sliding_window.remaining(b)
  local used = b.current + weighted(b.previous, b.start + b.window - now, b.window)
  return math.max(b.capacity - used, 0)
end

-- In this window what is used decays with the previous count, in the next with the current one.
function sliding_window.wait(b, wanted)
  local target = b.capacity - wanted
  local left = b.start + b.window - now
  if target >= b.current then
    return left - idiv((target - b.current) * b.window, b.previous)
  end
  return left + b.window - idiv(target * b.window, b.current)
end

function sliding_window.spend(b, count)
  b.current = b.current + count
end

function sliding_window.give_back(b)
  local start = charged_at - charged_at % b.window
  if start == b.start and b.current > 0 then
    b.current = math.max(b.current - permits, 0)
    return true
  end
  if start + b.window == b.start and b.previous > 0 then
    b.previous = math.max(b.previous - permits, 0)
    return true
  end
  return false
end

function sliding_window.store(b)
  local windows = b.current > 0 and 2 or 1
  save(b.key, b.start + windows * b.window - now, b.start, b.previous, b.current, b.window)
end

-- A list of times, the newest last.
local sliding_log = {}

local PUSHED_AT_ONCE = 1000

-- The time of the n-th newest permit.
local function stamp(b, n)
  return tonumber(read('LINDEX', b.key, text(-n))) or 0
end

local function live(b, n)
  return now - stamp(b, n) < b.window
end

function sliding_log.load(b, window)
  b.window, b.added = window, 0
  local most = math.min(read('LLEN', b.key) or 0, b.capacity)
  if most > 0 and live(b, most) then
    b.count = most
    return
  end
  local low, high = 0, math.max(most - 1, 0)
  while low < high do
    local middle = idiv(low + high, 2)
    if live(b, middle + 1) then
      low = middle + 1
    else
      high = middle
    end
  end
  b.count = low
end

function sliding_log.empty(b)
  return b.count == 0
end

function sliding_log.remaining(b)
  return b.capacity - b.count
end

function sliding_log.wait(b, wanted)
  local missing = wanted - (b.capacity - b.count)
  return stamp(b, b.count - missing + 1) + b.window - now
end

function sliding_log.spend(b, count)
  b.newest = b.count > 0 and math.max(now, stamp(b, 1)) or now
  b.added = count
  b.count = b.count + count
end

function sliding_log.give_back(b)
  if now - charged_at >= b.window or b.count == 0 then
    return false
  end
  local removed = redis.call('LREM', b.key, text(permits), text(charged_at))
  b.count = math.max(b.count - removed, 0)
  return removed > 0
end

function sliding_log.store(b)
  local kept = b.count - b.added
  if kept > 0 then
    redis.call('LTRIM', b.key, text(-kept), '-1')
  else
    forget(b.key)
  end
  local stamps = {}
  for i = 1, math.min(b.added, PUSHED_AT_ONCE) do
    stamps[i] = text(b.newest)
  end
  for first = 1, b.added, PUSHED_AT_ONCE do
    local count = math.min(b.added - first + 1, PUSHED_AT_ONCE)
    redis.call('RPUSH', b.key, unpack(stamps, 1, count))
  end
  b.added = 0
  redis.call('PEXPIRE', b.key, millis(stamp(b, 1) + b.window - now))
end

local kinds = {T = token_bucket, F = fixed_window, W = sliding_window, L = sliding_log}
local buckets = {}
local admitted = true

for i = 1, #KEYS do
  local argument = i * 4
  local b = {key = KEYS[i], kind = kinds[ARGV[argument]]}
  b.capacity = tonumber(ARGV[argument + 1])
  b.kind.load(b, tonumber(ARGV[argument + 2]), tonumber(ARGV[argument + 3]))
  b.retry = 0
  if operation == 'acquire' and permits > b.capacity then
    b.retry = -1
  elseif operation == 'acquire' and permits > b.kind.remaining(b) then
    b.retry = b.kind.wait(b, permits)
  elseif operation == 'refund' and b.kind.give_back(b) then
    if b.kind.empty(b) then
      forget(b.key)
    else
      b.kind.store(b)
    end
  end
  admitted = admitted and b.retry == 0
  buckets[i] = b
end

local reply = {now}
for i = 1, #buckets do
  local b = buckets[i]
  if operation == 'acquire' and admitted then
    b.kind.spend(b, permits)
    b.kind.store(b)
  end
  local remaining = b.kind.remaining(b)
  local growth = b.kind.empty(b) and 0 or b.kind.wait(b, remaining + 1)
  if operation == 'peek' and remaining == 0 then
    b.retry = growth
  end
  reply[#reply + 1] = remaining
  reply[#reply + 1] = growth
  reply[#reply + 1] = b.retry
end
return reply
