-- Outcomes of commits before the last retirement are forgotten, and those of now become those of before.
--
-- KEYS[1]: hash tag.  ARGV: token of the lease ('' for none), how many there are to be at least, ids that are kept.
-- Answers 1, or 0 when there are fewer.

local prefix = KEYS[1]
local call = redis.call

settled(prefix)
if fenced(prefix, ARGV[1]) then return redis.error_reply(FENCED) end
if call('HLEN', prefix .. ONCE) < math.max(tonumber(ARGV[2]), 1) then return 0 end
for at = 3, #ARGV do
    local outcome = call('HGET', prefix .. ONCE_BEFORE, ARGV[at])
    if outcome then call('HSET', prefix .. ONCE, ARGV[at], outcome) end
end
call('UNLINK', prefix .. ONCE_BEFORE)
call('RENAME', prefix .. ONCE, prefix .. ONCE_BEFORE)
return 1
