-- Take, renew or give back the lease of a universe.
--
-- KEYS[1]: hash tag.  ARGV: owner, token of a lease to renew ('' to take one), milliseconds that it lasts (0 to give it back),
-- '1' where what is given back was closed in order.
-- Answers {token, ''}; or, with nothing done, {'', who has it}.

local prefix, owner, token, lasts = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local call = redis.call
local holder = call('GET', prefix .. LEASE)

if token == '' then
    if holder and holder ~= owner then return {'', holder} end
    token = string.format('%d', call('HINCRBY', prefix .. META, 'token', 1))
elseif fenced(prefix, token) then
    return {'', holder or ''}
end
if ARGV[4] == '1' then call('HDEL', prefix .. META, 'open') end
if lasts == '0' then call('UNLINK', prefix .. LEASE) else call('SET', prefix .. LEASE, owner, 'PX', lasts) end
return {token, ''}
