-- Jobs with their places in the order of (due, id).  A job is kept as its header, then its octets.

local function places(id, due, state, kind, persona, case)
    local found = {'s' .. state .. '\0' .. due .. id, 'k' .. kind .. '\0' .. due .. id}
    if persona ~= '' then found[#found + 1] = 'p' .. persona .. '\0' .. due .. id end
    if case ~= '' then found[#found + 1] = 'c' .. case .. '\0' .. due .. id end
    return found
end

local function drop_places(prefix, id)
    local old = redis.call('HGET', prefix .. JOBS, id)
    if not old then return false end
    local due, state, kind, persona, case =
        string.match(old, '^(..................)(%Z*)%z(%Z*)%z(%Z*)%z(%Z*)%z')
    redis.call('ZREM', prefix .. ORDER, unpack(places(id, due, state, kind, persona, case)))
    return true
end

local function write_job(prefix, id, due, state, kind, persona, case, octets)
    drop_places(prefix, id)
    local members = {}
    for _, place in ipairs(places(id, due, state, kind, persona, case)) do
        members[#members + 1] = '0'
        members[#members + 1] = place
    end
    redis.call('ZADD', prefix .. ORDER, unpack(members))
    redis.call('HSET', prefix .. JOBS, id,
        due .. state .. '\0' .. kind .. '\0' .. persona .. '\0' .. case .. '\0' .. octets)
end

local function drop_job(prefix, id)
    if drop_places(prefix, id) then redis.call('HDEL', prefix .. JOBS, id) end
end
