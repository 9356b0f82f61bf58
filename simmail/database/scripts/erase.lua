-- Everything of a universe is gone but its highest event number; its events are set aside, to be swept.
--
-- KEYS[1]: hash tag.  ARGV: token of the lease ('' for none).  Answers 0, nothing done, while events of an earlier erasure are there.

local prefix = KEYS[1]
local call = redis.call

settled(prefix)
if fenced(prefix, ARGV[1]) then return redis.error_reply(FENCED) end
if call('EXISTS', prefix .. ERASED) == 1 then return 0 end
for _, name in ipairs(call('SMEMBERS', prefix .. TABLES)) do
    call('UNLINK', prefix .. TABLE .. name)
end
call('UNLINK', prefix .. TABLES, prefix .. ONCE, prefix .. ONCE_BEFORE, prefix .. JOBS, prefix .. ORDER, prefix .. ARRIVALS,
    prefix .. MAILS)
if call('EXISTS', prefix .. EVENTS) == 1 then call('RENAME', prefix .. EVENTS, prefix .. ERASED) end
local last = tonumber(call('HGET', prefix .. META, 'last') or 0)
call('HDEL', prefix .. META, 'at', 'queued')
call('HSET', prefix .. META, 'floor', string.format('%d', last + 1))
return 1
