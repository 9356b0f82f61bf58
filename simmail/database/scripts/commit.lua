-- One commit, all or nothing.
--
-- KEYS[1]: hash tag of the universe.  ARGV: once, token of the lease ('' for none), then eight sections, each a number of rows and the
-- rows: counts (table, key, by), drops (table, key), puts (table, key, document), leave (id), arrive (id, octets),
-- jobs (id, due, state, kind, persona, case, octets), drop_jobs (id), events (type, instant, tail, persona, case, mails).
-- Answers '1' (done now) or '0' (done before), then the first event number and the counts, joined by commas.

local prefix, once = KEYS[1], ARGV[1]
local call = redis.call

if fenced(prefix, ARGV[2]) then return redis.error_reply(FENCED) end

if once ~= '' then
    local outcome = call('HGET', prefix .. ONCE, once) or call('HGET', prefix .. ONCE_BEFORE, once)
    if outcome then return '0' .. outcome end
end

local i = 3
local outcome = {'0'}
local tables = {}

local function table_key(name)
    local key = tables[name]
    if not key then
        key = prefix .. TABLE .. name
        tables[name] = key
        call('SADD', prefix .. TABLES, name)
    end
    return key
end

-- Counts stand first: adding to what is no integer is the one thing that can fail.
local n = tonumber(ARGV[i])
for _ = 1, n do
    outcome[#outcome + 1] = string.format('%d', call('HINCRBY', table_key(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]))
    i = i + 3
end

i = i + 1
n = tonumber(ARGV[i])
for _ = 1, n do
    call('HDEL', prefix .. TABLE .. ARGV[i + 1], ARGV[i + 2])
    i = i + 2
end

i = i + 1
n = tonumber(ARGV[i])
for _ = 1, n do
    call('HSET', table_key(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3])
    i = i + 3
end

i = i + 1
n = tonumber(ARGV[i])
for _ = 1, n do
    call('HDEL', prefix .. ARRIVALS, ARGV[i + 1])
    i = i + 1
end

local changed = {}

i = i + 1
n = tonumber(ARGV[i])
if n > 0 then
    local queued = tonumber(call('HGET', prefix .. META, 'queued') or 0)
    for _ = 1, n do
        queued = queued + 1
        call('HSETNX', prefix .. ARRIVALS, ARGV[i + 1], string.format('%012d', queued) .. ARGV[i + 2])
        i = i + 2
    end
    changed[1], changed[2] = 'queued', string.format('%d', queued)
end

i = i + 1
n = tonumber(ARGV[i])
for _ = 1, n do
    write_job(prefix, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5], ARGV[i + 6], ARGV[i + 7])
    i = i + 7
end

i = i + 1
n = tonumber(ARGV[i])
for _ = 1, n do
    drop_job(prefix, ARGV[i + 1])
    i = i + 1
end

i = i + 1
n = tonumber(ARGV[i])
if n > 0 then
    local meta = call('HMGET', prefix .. META, 'last', 'at')
    local number, latest = tonumber(meta[1] or 0), meta[2] or ''
    outcome[1] = string.format('%d', number + 1)
    if latest == '' then call('SADD', prefix .. POSTINGS, '') end
    local function post(name, posting)
        if call('APPEND', prefix .. name, posting) == #posting then call('SADD', prefix .. POSTINGS, name) end
    end
    for _ = 1, n do
        number = number + 1
        local type, at, persona, case = ARGV[i + 1], ARGV[i + 2], ARGV[i + 4], ARGV[i + 5]
        local mails = ARGV[i + 6]
        -- An instant never falls as the number rises.  Eighteen digits compare as numbers do, in any locale.
        if at < latest then at = latest else latest = at end
        call('XADD', prefix .. EVENTS, string.format('%d-0', number),
            't', type, 'a', at, 'd', ARGV[i + 3], 'p', persona, 'c', case, 'm', mails)
        local posting = struct.pack('>I6', number)
        post(TYPE .. type, posting)
        if persona ~= '' then post(PERSONA .. persona, posting) end
        if case ~= '' then post(CASE .. case, posting) end
        for at = 1, #mails, 12 do
            local mail = string.sub(mails, at, at + 11)
            local known = call('HGET', prefix .. MAILS, mail) or ''
            -- Whoever names all mail alike shall not make it slow.
            if #known < 6000 then call('HSET', prefix .. MAILS, mail, known .. posting) end
        end
        i = i + 6
    end
    local last = string.format('%d', number)
    changed[#changed + 1], changed[#changed + 2], changed[#changed + 3], changed[#changed + 4] =
        'last', last, 'at', latest
end

if #changed > 0 then call('HSET', prefix .. META, unpack(changed)) end

outcome = table.concat(outcome, ',')
if once ~= '' then call('HSET', prefix .. ONCE, once, outcome) end
return '1' .. outcome
