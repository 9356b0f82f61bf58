-- All of a universe is there a second time.
--
-- KEYS[1]: hash tag of the source.  ARGV: hash tag of the target, its name, what the copy is called, about how many keys
-- one step of a look at all keys takes, the most events, jobs and commits that are copied.
-- Answers 1; or, with nothing done, 0 while events of an erasure of the target are there, -1 where the target has
-- something, -2 where the source has more.

local source, target = KEYS[1], ARGV[1]
local call = redis.call

if call('EXISTS', target .. ERASED) == 1 then return 0 end
if call('EXISTS', target .. EVENTS, target .. JOBS, target .. ARRIVALS, target .. ONCE) > 0 then return -1 end
for _, name in ipairs(call('SMEMBERS', target .. TABLES)) do
    if call('EXISTS', target .. TABLE .. name) == 1 then return -1 end
end

if call('XLEN', source .. EVENTS) + call('HLEN', source .. JOBS) + call('HLEN', source .. ONCE) > tonumber(ARGV[5]) then
    return -2
end

local function copy(name)
    call('COPY', source .. name, target .. name, 'REPLACE')
end

for _, name in ipairs({TABLES, ONCE, JOBS, ORDER, ARRIVALS, EVENTS, MAILS, POSTINGS}) do
    call('UNLINK', target .. name)
    copy(name)
end
local tables = call('SMEMBERS', source .. TABLES)
for _, name in ipairs(tables) do copy(TABLE .. name) end
if #tables > 0 then call('HSET', UNIVERSES, ARGV[2], target) end

for _, name in ipairs(call('SMEMBERS', source .. POSTINGS)) do
    if name ~= '' then copy(name) end
end
if call('EXISTS', source .. EVENTS) == 1 and call('SISMEMBER', source .. POSTINGS, '') == 0 then
    -- Of before their names were kept.
    local pattern = string.gsub(source, '[%[%]*?\\]', '\\%0')
    for _, kind in ipairs({TYPE, PERSONA, CASE}) do
        local cursor = '0'
        repeat
            local answer = call('SCAN', cursor, 'MATCH', pattern .. kind .. '*', 'COUNT', ARGV[4])
            cursor = answer[1]
            for _, key in ipairs(answer[2]) do
                local name = string.sub(key, #source + 1)
                copy(name)
                call('SADD', target .. POSTINGS, name)
            end
        until cursor == '0'
    end
    call('SADD', target .. POSTINGS, '')
end

local meta = call('HMGET', source .. META, 'last', 'at', 'floor', 'queued')
local last = tonumber(call('HGET', target .. META, 'last') or 0)
call('DEL', target .. META)
call('HSET', target .. META, 'last', string.format('%d', math.max(last, tonumber(meta[1] or 0))),
    'floor', meta[3] or '1', 'copy', ARGV[3])
if meta[2] then call('HSET', target .. META, 'at', meta[2]) end
if meta[4] then call('HSET', target .. META, 'queued', meta[4]) end
return 1
