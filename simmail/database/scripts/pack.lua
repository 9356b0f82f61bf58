-- All of a universe, to be put elsewhere by unpack.lua.
--
-- KEYS[1]: hash tag.  ARGV: about how many keys one step of a look at all keys takes, the most events, jobs and commits.
-- Answers its META ('' for what is not there) and name, octets of each key; nothing where it has more.

local source = KEYS[1]
local call = redis.call

if size_of(source) > tonumber(ARGV[2]) then return {} end
local meta = call('HMGET', source .. META, 'last', 'at', 'floor', 'queued')
local answer = {meta[1] or '0', meta[2] or '', meta[3] or '1', meta[4] or ''}
for _, name in ipairs(names_of(source, ARGV[1])) do
    local octets = call('DUMP', source .. name)
    if octets then
        answer[#answer + 1] = name
        answer[#answer + 1] = octets
    end
end
return answer
