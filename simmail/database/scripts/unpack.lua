-- All of a universe that pack.lua gave, under another hash tag.
--
-- KEYS[1]: hash tag of the target.  ARGV: what the copy is called, then what pack.lua answered.
-- Answers as copy.lua does.

local target = KEYS[1]
local call = redis.call

local room = vacant(target)
if room ~= 1 then return room end
for _, name in ipairs({TABLES, MAILS, ORDER, POSTINGS}) do call('UNLINK', target .. name) end

local names = {}
for i = 6, #ARGV, 2 do
    call('RESTORE', target .. ARGV[i], 0, ARGV[i + 1], 'REPLACE')
    names[#names + 1] = ARGV[i]
end
note_postings(target, names)
number(target, ARGV[2], ARGV[3] ~= '' and ARGV[3], ARGV[4], ARGV[5] ~= '' and ARGV[5], ARGV[1])
return 1
