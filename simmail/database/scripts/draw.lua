-- Take tokens out of a bucket (core.buckets).
--
-- KEYS[1]: hash tag.  ARGV: name of the bucket, tokens a second, tokens of a whole one, how many are wanted, now (Unix
-- time in seconds).  Answers {tokens taken, tokens left}, the latter as text.

local key = KEYS[1] .. BUCKET .. ARGV[1]
local rate, burst, wanted, now = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local tokens, at = burst, now
local kept = redis.call('GET', key)
if kept then
    local left, since = string.match(kept, '^(%S+) (%S+)$')
    tokens, at = tonumber(left), math.max(tonumber(since), now)
    tokens = math.min(burst, tokens + (at - tonumber(since)) * rate)
end
local taken = math.min(wanted, math.floor(tokens))
tokens = tokens - taken
if taken > 0 then
    -- A bucket that is whole again need not be kept.
    local whole = math.ceil((burst - tokens) / rate * 1000) + 1000
    redis.call('SET', key, string.format('%.17g %.17g', tokens, at), 'PX', string.format('%d', whole))
end
return {taken, string.format('%.17g', tokens)}
