-- A replicated universe is opened: where it was not closed in order, its event numbers jump ahead.
--
-- KEYS[1]: hash tag.  ARGV: token of the lease ('' for none), numbers that are left out.  Answers the highest that was used.

local meta = KEYS[1] .. META
local call = redis.call

if fenced(KEYS[1], ARGV[1]) then return redis.error_reply(FENCED) end
if call('HGET', meta, 'open') then call('HINCRBY', meta, 'last', ARGV[2]) end
call('HSET', meta, 'open', '1')
return tonumber(call('HGET', meta, 'last') or 0)
