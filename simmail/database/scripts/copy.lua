-- All of a universe is there a second time.
--
-- KEYS[1]: hash tag of the source.  ARGV: hash tag of the target, what the copy is called, about how many keys one step
-- of a look at all keys takes, the most events, jobs and commits that are copied.
-- Answers 1; or, with nothing done, 0 while events of an erasure of the target are there, -1 where the target has
-- something, -2 where the source has more.

local source, target = KEYS[1], ARGV[1]
local call = redis.call

settled(source)
local room = vacant(target)
if room ~= 1 then return room end
if size_of(source) > tonumber(ARGV[4]) then return -2 end

local names, sought = names_of(source, ARGV[3])
for _, name in ipairs(names) do
    call('UNLINK', target .. name)
    call('COPY', source .. name, target .. name)
end
if sought then note_postings(target, names) end
local meta = call('HMGET', source .. META, 'last', 'at', 'floor', 'queued')
number(target, meta[1], meta[2], meta[3], meta[4], ARGV[2])
return 1
