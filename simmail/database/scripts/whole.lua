-- What a universe consists of, and where one may be put.

-- Names of keys after the hash tag, but META; and whether names of postings had to be looked for, scanned keys in a step.
local function names_of(source, scanned)
    local call = redis.call
    local names = {TABLES, ONCE, ONCE_BEFORE, JOBS, ORDER, ARRIVALS, EVENTS, MAILS, POSTINGS}
    for _, name in ipairs(call('SMEMBERS', source .. TABLES)) do names[#names + 1] = TABLE .. name end
    for _, name in ipairs(call('SMEMBERS', source .. POSTINGS)) do
        if name ~= '' then names[#names + 1] = name end
    end
    local sought = call('EXISTS', source .. EVENTS) == 1 and call('SISMEMBER', source .. POSTINGS, '') == 0
    if sought then
        -- Of before their names were kept.
        local pattern = string.gsub(source, '[%[%]*?\\]', '\\%0')
        for _, kind in ipairs({TYPE, PERSONA, CASE}) do
            local cursor = '0'
            repeat
                local answer = call('SCAN', cursor, 'MATCH', pattern .. kind .. '*', 'COUNT', scanned)
                cursor = answer[1]
                for _, key in ipairs(answer[2]) do names[#names + 1] = string.sub(key, #source + 1) end
            until cursor == '0'
        end
    end
    return names, sought
end

-- Events, jobs and commits.
local function size_of(source)
    local call = redis.call
    return call('XLEN', source .. EVENTS) + call('HLEN', source .. JOBS) + call('HLEN', source .. ONCE)
        + call('HLEN', source .. ONCE_BEFORE)
end

-- 1; or 0 while events of an erasure are there, -1 where there is something.
local function vacant(target)
    local call = redis.call
    if call('EXISTS', target .. ERASED) == 1 then return 0 end
    for _, name in ipairs({EVENTS, JOBS, ARRIVALS, ONCE, ONCE_BEFORE}) do
        if call('EXISTS', target .. name) == 1 then return -1 end
    end
    for _, name in ipairs(call('SMEMBERS', target .. TABLES)) do
        if call('EXISTS', target .. TABLE .. name) == 1 then return -1 end
    end
    return 1
end

-- The names of postings are complete.
local function note_postings(target, names)
    for _, name in ipairs(names) do
        for _, kind in ipairs({TYPE, PERSONA, CASE}) do
            if string.sub(name, 1, #kind) == kind then redis.call('SADD', target .. POSTINGS, name) end
        end
    end
    redis.call('SADD', target .. POSTINGS, '')
end

-- Its META; event numbers go on above all that were used in either.
local function number(target, last, at, floor, queued, copy)
    local call = redis.call
    local used = tonumber(call('HGET', target .. META, 'last') or 0)
    call('HDEL', target .. META, 'at', 'queued')
    call('HSET', target .. META, 'last', string.format('%d', math.max(used, tonumber(last or 0))),
        'floor', floor or '1', 'copy', copy)
    if at then call('HSET', target .. META, 'at', at) end
    if queued then call('HSET', target .. META, 'queued', queued) end
end
